/**
 * The journal as a file: `<directory>/<id>.jsonl`, 0600, opened for appending, one write per append. The
 * fence is in the file itself (a takeover line), so it holds between processes.
 */
import { dirname } from 'node:path';
import { andThen } from '@turnwright/base/async/promises.ts';
import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { AppendHandle, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { Appended, Clock, JournalStore, TakenOver } from '../../protocol/ports.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import { journalPath } from '../session-files.ts';
import { DIGEST_FROM_BYTES, EarlierRecords } from './earlier-records.ts';
import { encodeRecord, encodeTakeover, type SessionPrefix, sessionPrefix } from './envelope.ts';
import { FileEnd, repairEnd, undoTakeover } from './file-end.ts';
import {
  EMPTY_JOURNAL,
  type JournalPosition,
  type JournalProblem,
  readJournal,
  scanJournal,
} from './read-journal.ts';
import { appendOutOfOrder, notOpen, storageError, unwritten } from './storage-error.ts';

interface FileJournalStoreOptions {
  readonly files: PersistentFiles;
  /** Absolute path; created on first use with 0700. */
  readonly directory: string;
  /** Working directory in the envelope of records. */
  readonly cwd: string;
  /** Session id in the envelope, if it differs from the file's name (a subagent's file). */
  readonly stampedAs?: string | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  /**
   * `process`: a record has been written when its append resolves, and survives SIGKILL. `power`: `sync` also
   * makes it survive power loss. Default `process`.
   */
  readonly durability?: 'process' | 'power' | undefined;
  /** Version of the program, as in the transcript format. */
  readonly version?: string | undefined;
  /** Called with written lines, without newlines. */
  readonly onWritten?: ((path: string, lines: readonly string[]) => void) | undefined;
  /** Called for every part of a file that could not be read (F70). */
  readonly onProblem?: ((sessionId: string, problem: JournalProblem) => void) | undefined;
}

export function createFileJournalStore(options: FileJournalStoreOptions): JournalStore {
  const { files, directory, onProblem } = options;
  const open = new Map<string, FileJournal>();

  return {
    async takeOver(sessionId, { toResume = false } = {}) {
      const before = open.get(sessionId);
      open.delete(sessionId);
      await before?.close();
      const { journal, earlier } = await takeOverFile(sessionId, options, toResume);
      const meanwhile = open.get(sessionId);
      if (meanwhile !== undefined && meanwhile.end.epoch > journal.end.epoch) await journal.close();
      else {
        open.set(sessionId, journal);
        await meanwhile?.close();
      }
      const { epoch, head } = journal.end;
      return earlier === undefined ? { epoch, head } : { epoch, head, toResume: earlier };
    },

    append(sessionId, epoch, afterSeq, entries) {
      const journal = open.get(sessionId);
      if (journal === undefined) throw notOpen(sessionId);
      if (epoch !== journal.end.epoch) return { fenced: true };
      return journal.append(afterSeq, entries);
    },

    async *read(sessionId, fromSeq) {
      yield* readJournal(files, journalPath(directory, sessionId), {
        fromSeq,
        onProblem: onProblem && ((problem) => onProblem(sessionId, problem)),
      });
    },

    async sync(sessionId) {
      if (options.durability === 'power') await open.get(sessionId)?.sync();
    },

    async exists(sessionId) {
      return (await files.stat(journalPath(directory, sessionId)))?.kind === 'file';
    },

    async close(sessionId) {
      const journal = open.get(sessionId);
      open.delete(sessionId);
      await journal?.close();
      if (journal === undefined || journal.end.size < DIGEST_FROM_BYTES) return;
      await withDigest((by) => by.keepDigest(files, journalPath(directory, sessionId), options.version));
    },
  };
}

/** Loaded for a long journal. Best effort: a session can be closed and resumed without its cache. */
const withDigest = <T>(use: (digest: typeof import('./digest.ts')) => Promise<T>): Promise<T | undefined> =>
  import('./digest.ts').then(use).catch(() => undefined);

const FENCED: Appended = Object.freeze({ fenced: true });

/** A session file that this process has taken over. */
class FileJournal {
  readonly end: FileEnd;
  readonly #path: string;
  readonly #options: FileJournalStoreOptions;
  readonly #prefix: SessionPrefix;
  #handle: AppendHandle | undefined;
  /** The last asynchronous append: the next one follows it. Never rejects. */
  #writing: Promise<void> | undefined;

  constructor(
    path: string,
    options: FileJournalStoreOptions,
    prefix: SessionPrefix,
    handle: AppendHandle,
    position: JournalPosition,
  ) {
    this.#path = path;
    this.#options = options;
    this.#prefix = prefix;
    this.#handle = handle;
    this.end = new FileEnd(options.files, path, position);
  }

  append(afterSeq: number, entries: readonly JournalBody[]): Appended | Promise<Appended> {
    if (entries.length === 0) return this.end.fenced ? FENCED : { seq: this.end.head };
    const nowMs = this.#options.clock.nowMs();
    // Encoded now: later changes of the caller's objects are not recorded.
    const lines = entries.map((body, index) =>
      encodeRecord(body, { seq: afterSeq + 1 + index, epoch: this.end.epoch }, this.#prefix, nowMs),
    );
    const appended =
      this.#writing === undefined
        ? this.#append(afterSeq, entries, lines)
        : this.#writing.then(() => this.#append(afterSeq, entries, lines));
    if (!('then' in appended)) return appended;
    const over = () => {
      if (this.#writing === writing) this.#writing = undefined;
    };
    const writing = appended.then(over, over);
    this.#writing = writing;
    return appended;
  }

  #append(
    afterSeq: number,
    entries: readonly JournalBody[],
    lines: readonly string[],
  ): Appended | Promise<Appended> {
    const handle = this.#handle;
    // The usual case is synchronous: the file is open and ends with the last valid line.
    const isUsual = handle !== undefined && afterSeq === this.end.head && this.end.isEndOf(handle);
    if (!isUsual) return this.#appendWithCare(afterSeq, entries, lines);
    return andThen(this.#write(handle, lines), (how) => this.#written(lines, afterSeq + lines.length, how));
  }

  async #appendWithCare(
    afterSeq: number,
    entries: readonly JournalBody[],
    lines: readonly string[],
  ): Promise<Appended> {
    const { end } = this;
    const handle = await this.#opened();
    if (end.fenced) return FENCED;
    const recorded = await end.recorded(afterSeq, entries);
    const seq = afterSeq + lines.length;
    if (recorded === lines.length) return { seq };
    if (recorded === undefined || afterSeq + recorded !== end.head)
      throw appendOutOfOrder(afterSeq, end.head);
    const missing = lines.slice(recorded);
    return this.#written(missing, seq, await this.#write(handle, missing));
  }

  #written(lines: readonly string[], seq: number, how: 'written' | 'fenced'): Appended {
    if (how === 'fenced') return FENCED;
    this.end.recordedUpTo(seq);
    this.#options.onWritten?.(this.#path, lines);
    return { seq };
  }

  /** All lines or none. Rejects with `storage_error` and the file unchanged. */
  #write(handle: AppendHandle, lines: readonly string[]): 'written' | Promise<'written' | 'fenced'> {
    let text = this.end.endsOpen ? '\n' : '';
    for (const line of lines) text += `${line}\n`;
    try {
      const writing = handle.append(text);
      const size = writing === undefined ? handle.size() : writing.then(() => handle.size());
      const bytes = Buffer.byteLength(text);
      if (size !== this.end.size + bytes) return this.#checked(text, size);
      this.end.wrote(bytes);
      return 'written';
    } catch (error) {
      return this.#checked(text, Promise.reject(error));
    }
  }

  /** The outcome of a write that was asynchronous, or failed. */
  async #checked(text: string, sizing: number | Promise<number>): Promise<'written' | 'fenced'> {
    const data = Buffer.from(text);
    try {
      const size = await sizing;
      if (size !== this.end.size + data.length) return await this.end.afterRace(data, size);
    } catch (error) {
      await this.end.cutBack();
      throw unwritten(error);
    }
    this.end.wrote(data.length);
    return 'written';
  }

  /** The open file, with its end checked. */
  async #opened(): Promise<AppendHandle> {
    try {
      this.#handle ??= await this.end.reopen();
      await this.end.check(this.#handle);
      return this.#handle;
    } catch (error) {
      throw unwritten(error);
    }
  }

  async sync(): Promise<void> {
    await this.#writing;
    try {
      this.#handle ??= await this.end.reopen();
      await this.#handle.sync();
    } catch (error) {
      // The system may have dropped what it could not sync: the descriptor is closed.
      await this.close();
      throw storageError('The session file could not be made durable.', error);
    }
  }

  async close(): Promise<void> {
    await this.#writing;
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }
}

/**
 * Takes the session over: repairs its end, then writes the takeover line that fences every earlier epoch.
 * `earlier`: what a resume needs, if `toResume` requests it and the file has it.
 */
async function takeOverFile(
  sessionId: string,
  options: FileJournalStoreOptions,
  toResume: boolean,
): Promise<{ readonly journal: FileJournal; readonly earlier: TakenOver['toResume'] }> {
  const { files, clock, cwd, version: program = '0', stampedAs = sessionId } = options;
  const path = journalPath(options.directory, sessionId);
  const report = (problem: JournalProblem) => options.onProblem?.(sessionId, problem);
  const prefix = sessionPrefix({ sessionId: stampedAs, cwd, version: program });
  let earlier: EarlierRecords | undefined;
  /** From the start, or from the end of the cached part. */
  const look = async () => {
    const isLong = toResume && ((await files.stat(path))?.size ?? 0) >= DIGEST_FROM_BYTES;
    const digest = isLong ? await withDigest((by) => by.readDigest(files, path, program)) : undefined;
    earlier = toResume ? new EarlierRecords(digest?.entries) : undefined;
    return scanJournal(files, path, digest?.position, earlier);
  };
  const setAside = (problem: JournalProblem) => {
    earlier?.forget(problem.offset);
    report(problem);
  };
  const taken = (handle: AppendHandle, position: JournalPosition) => {
    earlier?.problems.forEach(report);
    const journal = new FileJournal(path, options, prefix, handle, position);
    return { journal, earlier: earlier?.entries() };
  };
  let handle: AppendHandle | undefined;
  let before: JournalPosition | undefined;
  try {
    await files.makeDir(dirname(path), 0o700);
    handle = await files.openAppend(path, 0o600);
    for (;;) {
      before = (await handle.size()) === 0 ? EMPTY_JOURNAL : await repairEnd(files, path, look, setAside);
      const owner = uuid();
      const epoch = before.epoch + 1;
      const line = encodeTakeover({ seq: before.head, epoch }, owner, prefix, clock.nowMs());
      const bytes = Buffer.from(`${before.endsOpen ? '\n' : ''}${line}\n`);
      await handle.append(bytes);
      const size = before.size + bytes.length;
      // Only the takeover line was added.
      if ((await handle.size()) === size)
        return taken(handle, { ...before, epoch, owner, size, endsOpen: false });
      const after = await scanJournal(files, path, before, earlier);
      // Another process took it over in between: its line counts, so a newer one is needed.
      if (after.owner === owner) return taken(handle, { ...after, epoch });
    }
  } catch (error) {
    await handle?.close().catch(() => undefined);
    if (before !== undefined) await undoTakeover(files, path, before).catch(() => undefined);
    throw storageError(`Session ${sessionId} cannot be opened for writing (${path}).`, error);
  }
}
