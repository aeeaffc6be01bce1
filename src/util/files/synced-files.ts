import type { PersistentFiles } from '../../protocol/files.ts';

/** The same files; a file that is replaced survives a loss of power from the moment its write resolves. */
export const syncedFiles = (files: PersistentFiles): PersistentFiles => ({
  ...files,
  writeAtomic: (path, data, options) => files.writeAtomic(path, data, { ...options, sync: true }),
});
