/**
 * Files of large tool results, kept in the store of a session that has no folder of its own: the model was
 * given their paths, and the next process may run on another machine.
 */
import { basename, dirname } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { BlobStore } from '../../protocol/ports.ts';
import {
  type KeptFile,
  keptResults,
  PART_BYTES,
  partKey,
  RESULTS_FOLDER,
} from '../../session/kept-results.ts';

export interface KeptResults {
  /** Stores a finished file. Never rejects: the file is there, although another machine may not get it. */
  keep(path: string): Promise<void>;
  /** Writes the files of earlier processes that are missing on this machine. Never rejects. */
  restore(): Promise<void>;
  /** Where they are. */
  folders(): readonly string[];
}

interface KeptResultsOptions {
  readonly blobs: BlobStore;
  readonly files: PersistentFiles;
  readonly sessionId: string;
  readonly stderr: ((line: string) => void) | undefined;
}

export function createKeptResults(options: KeptResultsOptions): KeptResults {
  const { blobs, files, sessionId, stderr } = options;
  const kept = new Map<string, KeptFile>();
  /** One after the other: each writes the index. */
  let writing: Promise<void> = Promise.resolve();

  async function put(path: string): Promise<void> {
    const bytes = (await files.stat(path))?.size;
    if (bytes === undefined) return;
    for (let part = 0; part * PART_BYTES < bytes; part++)
      await blobs.put(partKey(path, part), await files.readRange(path, part * PART_BYTES, PART_BYTES));
    kept.set(path, { path, bytes });
    await blobs.put(keptResults.index, keptResults.written([...kept.values()]));
  }

  async function write({ path, bytes }: KeptFile): Promise<void> {
    const there = await files.lstat(path);
    if (there?.kind === 'file' && there.size === bytes) return;
    const folder = dirname(path);
    if (basename(folder) !== RESULTS_FOLDER || basename(dirname(folder)) !== sessionId)
      throw new Error('it is not a file of this session');
    // The system's temporary folder is open to all users; the name below it was known to the session only.
    const owner = (await files.lstat(dirname(dirname(folder))))?.uid;
    if (owner !== undefined && owner !== process.getuid?.())
      throw new Error('its folder belongs to another user');
    await files.makeDir(folder, 0o700);
    const unfinished = `${path}.restored`;
    await files.remove(unfinished).catch(() => undefined);
    const handle = await files.openAppend(unfinished, 0o600);
    try {
      for (let part = 0; part * PART_BYTES < bytes; part++)
        await handle.append(await blobs.get(partKey(path, part)));
    } finally {
      await handle.close();
    }
    await files.rename(unfinished, path);
  }

  return {
    keep(path) {
      writing = writing
        .then(() => put(path))
        .catch((error: unknown) =>
          stderr?.(`${path} is on this machine only, it could not be stored: ${errorText(error)}`),
        );
      return writing;
    },

    async restore() {
      const stored = await blobs.get(keptResults.index).catch(() => undefined);
      if (stored === undefined) return;
      for (const file of keptResults.files(stored)) {
        kept.set(file.path, file);
        await write(file).catch((error: unknown) =>
          stderr?.(`The stored result ${file.path} could not be restored: ${errorText(error)}`),
        );
      }
    },

    folders: () => [...new Set([...kept.keys()].map((path) => dirname(path)))],
  };
}
