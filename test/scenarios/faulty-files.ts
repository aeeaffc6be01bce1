/** Real files with a fault in them, and files that tell what was done to them. */
import type { PersistentFiles } from '../../src/index.ts';
import { nodeFiles } from '../../src/util/node-files.ts';

export function diskError(code: 'ENOSPC' | 'EROFS'): Error {
  const words = { ENOSPC: 'no space left on device', EROFS: 'read-only file system' };
  return Object.assign(new Error(`${code}: ${words[code]}`), { code });
}

/** Appends for which `fails` holds (the bytes as text) are refused as on a full disk. */
export function filesThatFill(fails: (text: string) => boolean): PersistentFiles {
  return {
    ...nodeFiles,
    async openAppend(path, mode) {
      const handle = await nodeFiles.openAppend(path, mode);
      return {
        ...handle,
        async append(data) {
          if (fails(Buffer.from(data).toString('utf8'))) throw diskError('ENOSPC');
          await handle.append(data);
        },
      };
    },
  };
}

const WRITES = new Set([
  'makeDir',
  'writeAtomic',
  'createExclusive',
  'link',
  'openAppend',
  'truncate',
  'remove',
  'removeSmall',
  'rename',
]);

/** Reads work, every write is refused. */
export function readOnlyFiles(): PersistentFiles {
  return watchedFiles((operation) => {
    if (WRITES.has(operation)) throw diskError('EROFS');
  });
}

/** Tells of each operation and its path before it is done. */
export function watchedFiles(
  onOperation: (operation: keyof PersistentFiles, path: string) => void,
): PersistentFiles {
  return new Proxy(nodeFiles, {
    get(target, name: keyof PersistentFiles) {
      const operation = target[name] as (...args: unknown[]) => unknown;
      return async (...args: unknown[]) => {
        onOperation(name, String(args[0]));
        return operation.apply(target, args);
      };
    },
  });
}
