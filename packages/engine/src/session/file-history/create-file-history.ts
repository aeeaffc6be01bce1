/**
 * File contents as of a message (L1 phase 6). Before a tool changes a file, its content is stored and the
 * change is recorded, in this order, so that a process killed at any point leaves a session that can be
 * rewound. Tools are not aware of it; they write through the files of `filesOf`.
 */

import { wholeData } from '@turnwright/base/files/write-atomic.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { RewindFilesResult } from '../../protocol/session/file-history.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { FileHistoryPorts } from './file-history-ports.ts';
import { readContentNow, resolveRealPath } from './keep-content.ts';

/** Of the keys under which files are restored. */
export const REWINDS = 'rewind-files-';

export interface FileHistory {
  /** The files for one call. A write rejects when the previous content could not be stored. */
  filesOf(effectKey: string): PersistentFiles;
  /**
   * Restores files that tools changed since this user message, apart from those that another program changed
   * since.
   */
  rewind(messageId: string, options?: { readonly dryRun?: boolean | undefined }): Promise<RewindFilesResult>;
}

export function createFileHistory(ports: FileHistoryPorts): FileHistory {
  const { files, keeper } = ports;

  async function noteChange(
    path: string,
    real: string,
    data: Uint8Array | string,
    effectKey: string,
  ): Promise<void> {
    const now = await readContentNow(real, files);
    const after = sha256(data);
    if (now === undefined || now?.hash === after) return;
    const before = now && (await keeper.keep(now));
    await ports.record({ path, ...(real !== path && { real }), before, after }, effectKey);
  }

  return {
    filesOf: (effectKey) => ({
      ...files,
      async writeAtomic(path, data, options) {
        const real = options?.plain === true ? path : await resolveRealPath(path, files);
        await noteChange(options?.spelled ?? path, real, wholeData(data), effectKey);
        await files.writeAtomic(path, data, options);
      },
    }),

    async rewind(messageId, { dryRun = false } = {}) {
      const [{ changesSince }, { rewindFile }] = await Promise.all([
        import('./changes-since.ts'),
        import('./rewind-file.ts'),
      ]);
      const entries: JournalEntry[] = [];
      for await (const entry of ports.entries()) entries.push(entry);
      const changed = changesSince(entries, messageId);
      if (changed === undefined)
        throw new TurnwrightError('invalid_option', 'No file checkpoint found for this message.');
      const key = ports.newKey();
      const filesChanged: string[] = [];
      const conflicts: string[] = [];
      const problems: string[] = [];
      let skippedLinks = 0;
      let insertions = 0;
      let deletions = 0;
      for (const file of changed) {
        const outcome = await ports.lock(file.real, () => rewindFile(file, { ...ports, key, dryRun }));
        switch (outcome.kind) {
          case 'same':
            break;
          case 'rewound':
            filesChanged.push(file.path);
            insertions += outcome.insertions;
            deletions += outcome.deletions;
            break;
          case 'conflict':
            conflicts.push(file.path);
            break;
          case 'link':
            skippedLinks += 1;
            break;
          case 'failed':
            problems.push(`${file.path}: ${outcome.why}`);
            break;
        }
      }
      if (conflicts.length > 0)
        problems.unshift(`Left as they are, because they were changed since: ${conflicts.join(', ')}`);
      const left = conflicts.length + problems.length + skippedLinks > 0;
      return {
        canRewind: filesChanged.length > 0 || !left,
        ...(problems.length > 0 && { error: problems.join('. ') }),
        filesChanged,
        insertions,
        deletions,
        ...(!dryRun && { skippedLinks }),
        ...(conflicts.length > 0 && { conflicts }),
      };
    },
  };
}
