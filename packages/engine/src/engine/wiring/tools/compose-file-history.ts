/** File checkpoints: what tools change is kept first, beside the session's journal. */
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { Ids } from '../../../protocol/ports.ts';
import {
  createFileHistory,
  type FileHistory,
  REWINDS,
} from '../../../session/file-history/create-file-history.ts';
import {
  createContentKeeper,
  MAX_KEPT_BYTES,
  MAX_KEPT_FILE_BYTES,
} from '../../../session/file-history/keep-content.ts';
import { createFileBlobStore, createMemoryBlobStore } from '../../../session/in-process/blob-store.ts';
import { structuredPatch } from '../../../tools/builtin/files/text-patch.ts';
import { withPathLock } from '../../../tools/gate/path-lock.ts';
import type { QueryEngineConfig } from '../../config.ts';
import type { SessionJournal } from '../../storage/session-journal.ts';
import type { ComposedSession } from '../../storage/session-place.ts';

interface FileHistoryParts {
  readonly session: Pick<ComposedSession, 'sessionId' | 'directory' | 'read'>;
  readonly journal: SessionJournal;
  readonly files: PersistentFiles;
  readonly ids: Ids;
}

/** undefined: checkpointing is off, and writes go straight to the disk. */
export function composeFileHistory(
  { enableFileCheckpointing, blobs: ofHost }: QueryEngineConfig,
  { session, journal, files, ids }: FileHistoryParts,
): FileHistory | undefined {
  if (enableFileCheckpointing !== true) return undefined;
  const directory = session.directory && join(session.directory, session.sessionId, 'file-history');
  const blobs =
    ofHost ?? (directory === undefined ? createMemoryBlobStore() : createFileBlobStore({ files, directory }));
  const limits = { fileBytes: MAX_KEPT_FILE_BYTES, totalBytes: MAX_KEPT_BYTES };
  return createFileHistory({
    files,
    keeper: createContentKeeper(blobs, () => bytesIn(directory, files), limits),
    async record(change, effectKey) {
      const submission = effectKey.split('/')[0] ?? '';
      // One call may change several files, and a call that is repeated changes them again.
      const id = `${effectKey}/file-change/${ids.uuid()}`;
      await journal.recorder.append([{ type: 'file-change', id, submission, ...change }]);
      await journal.recorder.commit();
    },
    entries: session.read,
    lock: withPathLock,
    countLines,
    newKey: () => `${REWINDS}${ids.uuid()}`,
  });
}

async function bytesIn(directory: string | undefined, files: PersistentFiles): Promise<number> {
  if (directory === undefined || (await files.stat(directory)) === undefined) return 0;
  const names = await files.readDir(directory);
  const sizes = await Promise.all(names.map(async (name) => (await files.stat(join(directory, name)))?.size));
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
}

async function countLines(before: string, after: string): Promise<{ in: number; out: number }> {
  const hunks = await structuredPatch('', before, after);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const beginning = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return { in: beginning('+'), out: beginning('-') };
}
