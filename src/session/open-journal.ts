/** One session file that this process has taken over: the fence, the queue of writes, and the repair of bad ones. */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { AppendHandle, PersistentFiles } from '../protocol/files.ts';
import type { JournalBody } from '../protocol/journal.ts';
import type { Clock } from '../protocol/ports.ts';
import { batchQueue, type Outcome } from './batch-queue.ts';
import { encodeRecord, encodeTakeover, type SessionPrefix, sessionPrefix } from './envelope.ts';
import { type JournalPosition, type JournalProblem, readJournal, scanJournal } from './read-journal.ts';
import { recordIdentity } from './record-identity.ts';
import { storageError } from './storage-error.ts';

export interface FileJournalStoreOptions {
  readonly files: PersistentFiles;
  /** Absolute; made on first use, 0700. */
  readonly directory: string;
  /** Working directory that records are stamped with. */
  readonly cwd: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /**
   * `process`: a record has been written when its append resolves, and survives SIGKILL. `power`: `sync` also makes
   * it survive power loss. Default `process`.
   */
  readonly durability?: 'process' | 'power';
  /** Version of the program, as the transcript format has it. */
  readonly version?: string;
  /** Told of everything in a file that could not be read as it stands (F70). */
  readonly onProblem?: (sessionId: string, problem: JournalProblem) => void;
}

type Appended = { readonly seq: number } | { readonly fenced: true };

interface Request {
  readonly afterSeq: number;
  readonly entries: readonly JournalBody[];
  readonly lines: readonly string[];
}

const FENCED: Appended = Object.freeze({ fenced: true });

export interface OpenJournal {
  readonly epoch: number;
  readonly head: number;
  append(afterSeq: number, entries: readonly JournalBody[]): Promise<Appended>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Takes the session over: repairs its end, then writes the takeover line that fences every earlier epoch. */
export async function openJournal(
  path: string,
  sessionId: string,
  options: FileJournalStoreOptions,
): Promise<OpenJournal> {
  const { files, clock } = options;
  const prefix = sessionPrefix({ sessionId, cwd: options.cwd, version: options.version ?? '0' });
  let handle: AppendHandle | undefined;
  try {
    await files.makeDir(dirname(path), 0o700);
    handle = await files.openAppend(path, 0o600);
    for (;;) {
      const before = await repairEnd(files, path, await scanJournal(files, path));
      const owner = randomUUID();
      const epoch = before.epoch + 1;
      const line = `${before.endsOpen ? '\n' : ''}${encodeTakeover({ seq: before.head, epoch }, owner, prefix, clock.nowMs())}\n`;
      await handle.append(Buffer.from(line));
      const after = await scanJournal(files, path);
      // Somebody else took it over between our look and our line: theirs counts, so ours must be newer.
      if (after.owner !== owner) continue;
      return new FileJournal(path, options, prefix, handle, { ...after, epoch });
    }
  } catch (error) {
    await handle?.close().catch(() => undefined);
    throw storageError(`Session ${sessionId} cannot be opened for writing (${path}).`, error);
  }
}

/** Sets a torn last line aside, then cuts it off. */
async function repairEnd(
  files: PersistentFiles,
  path: string,
  position: JournalPosition,
): Promise<JournalPosition> {
  const { tornAt, size } = position;
  if (tornAt === undefined) return position;
  const tail = await files.readRange(path, tornAt, size - tornAt);
  await files.writeAtomic(`${path}.torn-${tornAt}-${randomUUID().slice(0, 8)}`, tail, {
    mode: 0o600,
    sync: true,
  });
  // An owner that is being fenced may just have finished that line.
  if ((await files.stat(path))?.size !== size) return repairEnd(files, path, await scanJournal(files, path));
  await files.truncate(path, tornAt);
  const { tornAt: _cut, ...rest } = position;
  return { ...rest, size: tornAt, endsOpen: false };
}

class FileJournal implements OpenJournal {
  readonly epoch: number;
  readonly #path: string;
  readonly #options: FileJournalStoreOptions;
  readonly #prefix: SessionPrefix;
  readonly #owner: string | undefined;
  readonly #queue = batchQueue((requests: readonly Request[]) => this.#write(requests));
  #handle: AppendHandle | undefined;
  #head: number;
  /** Length of the file up to and with our last good line. */
  #length: number;
  #endsOpen: boolean;
  #fenced = false;

  constructor(
    path: string,
    options: FileJournalStoreOptions,
    prefix: SessionPrefix,
    handle: AppendHandle,
    position: JournalPosition,
  ) {
    this.epoch = position.epoch;
    this.#path = path;
    this.#options = options;
    this.#prefix = prefix;
    this.#owner = position.owner;
    this.#handle = handle;
    this.#head = position.head;
    this.#length = position.size;
    this.#endsOpen = position.endsOpen;
  }

  get head(): number {
    return this.#head;
  }

  async append(afterSeq: number, entries: readonly JournalBody[]): Promise<Appended> {
    if (entries.length === 0) return this.#fenced ? FENCED : { seq: this.#head };
    const nowMs = this.#options.clock.nowMs();
    // Encoded now: what the caller does to its objects later is not on record.
    const lines = entries.map((body, index) =>
      encodeRecord(body, { seq: afterSeq + 1 + index, epoch: this.epoch }, this.#prefix, nowMs),
    );
    return this.#queue.put({ afterSeq, entries, lines });
  }

  async #write(requests: readonly Request[]): Promise<readonly Outcome<Appended>[]> {
    const handle = await this.#readyHandle();
    if (handle === 'fenced') return requests.map(() => ({ ok: true, value: FENCED }));
    const outcomes = new Map<Request, Outcome<Appended>>();
    const fits: Request[] = [];
    let head = this.#head;
    for (const request of requests) {
      if (request.afterSeq === head) {
        fits.push(request);
        head += request.lines.length;
      } else outcomes.set(request, await this.#outOfOrder(request));
    }
    if (fits.length > 0) {
      const lines = fits.flatMap((request) => request.lines);
      const written = await this.#writeLines(handle, lines);
      if (written !== 'fenced') this.#head = head;
      for (const request of fits) {
        const value = written === 'fenced' ? FENCED : { seq: request.afterSeq + request.lines.length };
        outcomes.set(request, { ok: true, value });
      }
    }
    return requests.map((request) => outcomes.get(request) as Outcome<Appended>);
  }

  async #readyHandle(): Promise<AppendHandle | 'fenced'> {
    try {
      const handle = await this.#opened();
      return (await this.#lookAtGrowth(handle)) === 'fenced' ? 'fenced' : handle;
    } catch (error) {
      throw unwritten(error);
    }
  }

  /** A batch that landed before its caller learnt of it is the same append again; anything else is a broken caller. */
  async #outOfOrder({ afterSeq, entries }: Request): Promise<Outcome<Appended>> {
    const last = afterSeq + entries.length;
    if (last <= this.#head) {
      const recorded: string[] = [];
      for await (const entry of readJournal(this.#options.files, this.#path, { fromSeq: afterSeq + 1 })) {
        if (entry.seq > last) break;
        recorded.push(recordIdentity(entry));
      }
      if (entries.map(recordIdentity).join('\n') === recorded.join('\n'))
        return { ok: true, value: { seq: last } };
    }
    return {
      ok: false,
      error: storageError(
        `An append was to follow record ${afterSeq}, but the journal stands at ${this.#head}.`,
      ),
    };
  }

  /** All lines or none. Throws `storage_error` with the file as it was before. */
  async #writeLines(handle: AppendHandle, lines: readonly string[]): Promise<'written' | 'fenced'> {
    const data = Buffer.from(`${this.#endsOpen ? '\n' : ''}${lines.join('\n')}\n`);
    const start = this.#length;
    try {
      await handle.append(data);
      const size = await handle.size();
      if (size !== start + data.length) return await this.#afterRace(start, data, size);
    } catch (error) {
      await this.#cutBack(start);
      throw unwritten(error);
    }
    this.#length = start + data.length;
    this.#endsOpen = false;
    return 'written';
  }

  /** The cheap check before a write: whatever stands behind our last line is not ours. */
  async #lookAtGrowth(handle: AppendHandle): Promise<'ours' | 'fenced'> {
    if (this.#fenced) return 'fenced';
    const size = await handle.size();
    if (size === this.#length) return 'ours';
    if (size < this.#length)
      throw new Error(`The file was cut from ${this.#length} to ${size} bytes by another program.`);
    const growth = await scanJournal(this.#options.files, this.#path, this.#length);
    this.#fenced = growth.epoch > this.epoch;
    // A write that was reported as failed, and could not be taken back, had landed after all.
    if (growth.epoch === this.epoch) this.#head = Math.max(this.#head, growth.ownHead);
    this.#length = growth.size;
    this.#endsOpen = growth.endsOpen;
    return this.#fenced ? 'fenced' : 'ours';
  }

  /** Somebody else wrote at the same moment. Readers honour what comes first, so we do too. */
  async #afterRace(start: number, data: Buffer, size: number): Promise<'written' | 'fenced'> {
    const { files } = this.#options;
    const there = Buffer.from(await files.readRange(this.#path, start, data.length));
    const behind = there.equals(data) ? start + data.length : start;
    const growth = await scanJournal(files, this.#path, behind);
    this.#fenced = growth.epoch > this.epoch;
    this.#length = Math.max(size, growth.size);
    this.#endsOpen = growth.endsOpen;
    return this.#fenced && behind === start ? 'fenced' : 'written';
  }

  /** Takes half a write off the file again, unless somebody else has gone on behind it. */
  async #cutBack(length: number): Promise<void> {
    const { files } = this.#options;
    try {
      const growth = await scanJournal(files, this.#path, length);
      if (growth.size > length && growth.epoch <= this.epoch) await files.truncate(this.#path, length);
    } catch {
      // The end stays as it is: the next write looks at it, keeps what is whole and begins on a line of its own.
    }
  }

  async sync(): Promise<void> {
    await this.#queue.idle();
    try {
      await (await this.#opened()).sync();
    } catch (error) {
      // The system may have dropped what it could not sync: nothing of this descriptor is trusted any more.
      await this.#release();
      throw storageError('The session file could not be made durable.', error);
    }
  }

  async #opened(): Promise<AppendHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const { files } = this.#options;
    const handle = await files.openAppend(this.#path, 0o600);
    const position = await scanJournal(files, this.#path);
    if (position.owner === this.#owner && position.head < this.#head) {
      await handle.close();
      throw new Error(`${this.#head - position.head} records are gone from the file.`);
    }
    this.#handle = handle;
    return handle;
  }

  async #release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    await this.#release();
  }
}

const unwritten = (cause: unknown): Error =>
  storageError('A record could not be written to the session file.', cause);
