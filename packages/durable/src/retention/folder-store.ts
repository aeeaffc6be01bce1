/** A folder as a store of blobs: on a volume that outlives the database. */
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { BlobStore } from '@turnwright/engine/protocol/ports.ts';

/**
 * Each key is a file of the folder, which is on the disk when `put` resolves and is readable by its owner
 * only. `get` rejects with `storage_error` when there is no such file.
 *
 * @example
 * ```ts
 * import { durableClient, folderStore } from 'turnwright/durable';
 *
 * const archive = folderStore('/srv/archive');
 * const client = durableClient('postgresql:///turnwright?host=/var/run/postgresql', { archive });
 * await client.close();
 * ```
 */
export function folderStore(folder: string): BlobStore {
  const pathOf = (key: string) =>
    join(
      folder,
      encodeURIComponent(key).replace(/^\.*$/, (dots) => `%${dots}`),
    );
  return {
    async put(key, bytes) {
      await nodeFiles.makeDir(folder, 0o700);
      await nodeFiles.writeAtomic(pathOf(key), bytes, { mode: 0o600, sync: true });
      return pathOf(key);
    },
    async get(key) {
      if ((await nodeFiles.stat(pathOf(key))) === undefined)
        throw new TurnwrightError('storage_error', `There is no file ${pathOf(key)}.`);
      return nodeFiles.readFile(pathOf(key));
    },
  };
}
