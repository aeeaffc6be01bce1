import { dirname } from 'node:path';
import type { AppendHandle, PersistentFiles } from '../../protocol/files.ts';
import type { TakenOver } from '../../protocol/ports.ts';
import { uuid } from '../../util/ids/uuid.ts';
import { encodeTakeover, sessionPrefix } from '../journal/envelope.ts';
import { FileJournal } from '../journal/file-journal.ts';
import type { FileJournalStoreOptions } from '../journal/file-store-options.ts';
import { EMPTY_JOURNAL, type JournalPosition, scanJournal } from '../journal/read-journal.ts';
import { storageError } from '../journal/storage-error.ts';
import { readDigest } from './resume-cache.ts';
import { EarlierRecords } from './resume-scan.ts';

/** Takes the session over: repairs its end, then writes the takeover line that fences every earlier epoch. */
export async function takeOverFile(
  path: string,
  sessionId: string,
  options: FileJournalStoreOptions,
  toResume: boolean,
): Promise<{ readonly journal: FileJournal; readonly toResume?: TakenOver['toResume'] }> {
  const { files, clock, version: program = '0' } = options;
  const prefix = sessionPrefix({
    sessionId: options.stampedAs ?? sessionId,
    cwd: options.cwd,
    version: program,
  });
  let earlier: EarlierRecords | undefined;
  const setAside = (offset: number, bytes: number) => {
    earlier?.forget(offset);
    options.onProblem?.(sessionId, { kind: 'set_aside', offset, bytes });
  };
  /** From the start, or from the end of the cached part. */
  const look = async () => {
    const digest = toResume ? await readDigest(files, path, program) : undefined;
    earlier = toResume ? new EarlierRecords(digest?.entries) : undefined;
    return scanJournal(files, path, digest?.position, earlier);
  };
  const taken = (journal: FileJournal) => {
    for (const problem of earlier?.problems ?? []) options.onProblem?.(sessionId, problem);
    return { journal, toResume: earlier?.entries() };
  };
  let handle: AppendHandle | undefined;
  let before: JournalPosition | undefined;
  try {
    await files.makeDir(dirname(path), 0o700);
    handle = await files.openAppend(path, 0o600);
    for (;;) {
      const isNew = (await handle.size()) === 0;
      before = isNew ? EMPTY_JOURNAL : await repairEnd(files, path, look, setAside);
      const owner = uuid();
      const epoch = before.epoch + 1;
      const line = `${before.endsOpen ? '\n' : ''}${encodeTakeover({ seq: before.head, epoch }, owner, prefix, clock.nowMs())}\n`;
      const bytes = Buffer.from(line);
      await handle.append(bytes);
      const size = before.size + bytes.length;
      // Only the takeover line was added.
      if ((await handle.size()) === size) {
        const position = { ...before, epoch, owner, size, endsOpen: false };
        return taken(new FileJournal(path, options, prefix, handle, position));
      }
      const after = await scanJournal(files, path, before, earlier);
      // Another process took it over in between: its line counts, so a newer one is needed.
      if (after.owner !== owner) continue;
      return taken(new FileJournal(path, options, prefix, handle, { ...after, epoch }));
    }
  } catch (error) {
    await handle?.close().catch(() => undefined);
    if (before !== undefined) await takeBack(files, path, before).catch(() => undefined);
    throw storageError(`Session ${sessionId} cannot be opened for writing (${path}).`, error);
  }
}

/**
 * Removes a partial line, and a file without any other: a session that could not be started leaves no file.
 */
async function takeBack(files: PersistentFiles, path: string, before: JournalPosition): Promise<void> {
  const now = await scanJournal(files, path, before);
  if (now.epoch > before.epoch) return; // the line is whole, or another's stands there
  if (now.size > before.size) await files.truncate(path, before.size);
  if (before.size === 0) await files.remove(path);
}

/** Sets a truncated last line aside, then removes it. */
async function repairEnd(
  files: PersistentFiles,
  path: string,
  look: () => Promise<JournalPosition>,
  setAside: (offset: number, bytes: number) => void,
): Promise<JournalPosition> {
  const position = await look();
  const { tornAt, size } = position;
  if (tornAt === undefined) return position;
  const tail = await files.readRange(path, tornAt, size - tornAt);
  const aside = `${path}.torn-${tornAt}-${uuid().slice(0, 8)}`;
  await files.writeAtomic(aside, tail, { mode: 0o600, sync: true });
  // An owner that is being fenced may just have completed that line.
  if ((await files.stat(path))?.size !== size) {
    return repairEnd(files, path, look, setAside);
  }
  await files.truncate(path, tornAt);
  setAside(tornAt, size - tornAt);
  const { tornAt: _cut, ...rest } = position;
  return { ...rest, size: tornAt, endsOpen: false };
}
