/** Files in memory, as a journal needs them: an image of a disk that can be opened a hundred thousand times. */

import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { wholeData } from '@turnwright/base/files/write-atomic.ts';
import type { FileStat, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { Image } from './images.ts';

export function memoryFiles(image: Image): PersistentFiles {
  const files = new Map(image);
  const read = (path: string): Buffer => {
    const bytes = files.get(path);
    if (bytes === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    return bytes;
  };
  const stat = async (path: string): Promise<FileStat | undefined> => {
    const bytes = files.get(path);
    return bytes && { kind: 'file', size: bytes.length, mtimeMs: 0, mode: 0o600, ino: 1 };
  };
  const refused = () => {
    throw new Error('A journal does not need this call.');
  };
  return {
    ...(Object.fromEntries(
      Object.keys(nodeFiles).map((name) => [name, refused]),
    ) as unknown as PersistentFiles),
    stat,
    lstat: stat,
    readFile: async (path) => read(path),
    readSmall: async (path) => files.get(path),
    readRange: async (path, offset, length) => read(path).subarray(offset, offset + length),
    makeDir: async () => undefined,
    writeAtomic: async (path, data) => void files.set(path, Buffer.from(wholeData(data) as string)),
    truncate: async (path, length) => void files.set(path, read(path).subarray(0, length)),
    remove: async (path) => void files.delete(path),
    removeSmall: async (path) => void files.delete(path),
    async openAppend(path) {
      if (!files.has(path)) files.set(path, Buffer.alloc(0));
      return {
        append(data) {
          files.set(path, Buffer.concat([read(path), Buffer.from(data as string)]));
          return undefined;
        },
        sync: async () => undefined,
        size: () => read(path).length,
        close: async () => undefined,
      };
    },
  };
}
