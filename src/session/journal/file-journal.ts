/** A session file that this process has taken over: fence, write queue, and repair of failed writes. */
import type { AppendHandle } from '../../protocol/files.ts';
import type { Appended } from '../../protocol/ports.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import { andThen } from '../../util/async/and-then.ts';
import { batchQueue, type Outcome } from './batch-queue.ts';
import { encodeRecord, type SessionPrefix } from './envelope.ts';
import type { FileJournalStoreOptions } from './file-store-options.ts';
import { type JournalPosition, readJournal, scanJournal } from './read-journal.ts';
import { recordIdentity } from './record-identity.ts';
import { outOfOrder, storageError, unwritten } from './storage-error.ts';

interface Request {
  readonly afterSeq: number;
  readonly entries: readonly JournalBody[];
  readonly lines: readonly string[];
}

interface Plan {
  readonly request: Request;
  /** `seq` of its last record. */
  readonly seq: number;
  readonly fits: boolean;
}

interface Placed {
  readonly lines: readonly string[];
  readonly plans: readonly Plan[];
  /** Once the lines are written. */
  readonly head: number;
}

const FENCED: Appended = Object.freeze({ fenced: true });

export class FileJournal {
  readonly epoch: number;
  readonly #path: string;
  readonly #options: FileJournalStoreOptions;
  readonly #prefix: SessionPrefix;
  readonly #owner: string | undefined;
  readonly #queue = batchQueue((requests: readonly Request[]) => this.#write(requests));
  #handle: AppendHandle | undefined;
  #head: number;
  /** Length of the file including the last valid line. */
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

  /** Bytes of the file including the last valid line. */
  get length(): number {
    return this.#length;
  }

  append(afterSeq: number, entries: readonly JournalBody[]): Appended | Promise<Appended> {
    if (entries.length === 0) return this.#fenced ? FENCED : { seq: this.#head };
    const nowMs = this.#options.clock.nowMs();
    // Encoded synchronously: later changes of the caller's objects are not recorded.
    const lines = entries.map((body, index) =>
      encodeRecord(body, { seq: afterSeq + 1 + index, epoch: this.epoch }, this.#prefix, nowMs),
    );
    return this.#queue.put({ afterSeq, entries, lines });
  }

  #write(requests: readonly Request[]): readonly Outcome<Appended>[] | Promise<readonly Outcome<Appended>[]> {
    const handle = this.#handleAtOurEnd();
    const placed = this.#followingHead(requests);
    if (handle === undefined || placed === undefined) return this.#writeWithCare(requests);
    return andThen(this.#writeLines(handle, placed.lines), (how) => this.#settled(placed, how));
  }

  async #writeWithCare(requests: readonly Request[]): Promise<readonly Outcome<Appended>[]> {
    const handle = await this.#readyHandle();
    if (handle === 'fenced') return requests.map(() => ({ ok: true, value: FENCED }));
    const placed = this.#followingHead(requests) ?? (await this.#placed(requests));
    const written = placed.lines.length === 0 ? 'written' : await this.#writeLines(handle, placed.lines);
    return this.#settled(placed, written);
  }

  #settled({ lines, plans, head }: Placed, written: 'written' | 'fenced'): readonly Outcome<Appended>[] {
    if (written === 'written') {
      this.#head = head;
      if (lines.length > 0) this.#options.onWritten?.(this.#path, lines);
    }
    return plans.map(({ request, seq, fits }) => {
      if (!fits) return { ok: false, error: outOfOrder(request.afterSeq, this.#head) };
      return { ok: true, value: written === 'fenced' ? FENCED : { seq } };
    });
  }

  /** The usual case: each append follows the previous one, and none of it is recorded yet. */
  #followingHead(requests: readonly Request[]): Placed | undefined {
    const lines: string[] = [];
    const plans: Plan[] = [];
    let head = this.#head;
    for (const request of requests) {
      if (request.afterSeq !== head) return undefined;
      lines.push(...request.lines);
      head += request.lines.length;
      plans.push({ request, seq: head, fits: true });
    }
    return { lines, plans, head };
  }

  async #placed(requests: readonly Request[]): Promise<Placed> {
    const lines: string[] = [];
    const plans: Plan[] = [];
    let head = this.#head;
    for (const request of requests) {
      const landed = request.afterSeq === head ? 0 : await this.#landed(request);
      const seq = request.afterSeq + request.lines.length;
      const fits =
        landed !== undefined && (request.afterSeq + landed === head || landed === request.lines.length);
      plans.push({ request, seq, fits });
      if (!fits) continue;
      lines.push(...request.lines.slice(landed));
      head = Math.max(head, seq);
    }
    return { lines, plans, head };
  }

  /** The usual case, synchronous: the file is open and ends with the last valid line. */
  #handleAtOurEnd(): AppendHandle | undefined {
    if (this.#fenced || this.#handle === undefined) return undefined;
    try {
      return this.#handle.size() === this.#length ? this.#handle : undefined;
    } catch {
      return undefined; // looked at again, with all that can be said about it
    }
  }

  async #readyHandle(): Promise<AppendHandle | 'fenced'> {
    try {
      const handle = await this.#opened();
      return (await this.#lookAtGrowth(handle)) === 'fenced' ? 'fenced' : handle;
    } catch (error) {
      throw unwritten(error);
    }
  }

  /**
   * Number of entries of an append that are recorded already, by an earlier attempt whose success was not
   * reported. undefined: there are others in their place.
   */
  async #landed({ afterSeq, entries }: Request): Promise<number | undefined> {
    const last = Math.min(afterSeq + entries.length, this.#head);
    if (last <= afterSeq) return undefined;
    let landed = 0;
    for await (const entry of readJournal(this.#options.files, this.#path, { fromSeq: afterSeq + 1 })) {
      if (entry.seq > last) break;
      const body = entries[landed];
      if (body === undefined || recordIdentity(body) !== recordIdentity(entry)) return undefined;
      landed++;
    }
    return landed;
  }

  /** All lines or none. Rejects with `storage_error` and the file unchanged. */
  #writeLines(handle: AppendHandle, lines: readonly string[]): 'written' | Promise<'written' | 'fenced'> {
    let text = this.#endsOpen ? '\n' : '';
    for (const line of lines) text += `${line}\n`;
    try {
      const writing = handle.append(text);
      const size = writing === undefined ? handle.size() : writing.then(() => handle.size());
      const end = this.#length + Buffer.byteLength(text);
      return size === end ? this.#grownTo(end) : this.#checked(text, size);
    } catch (error) {
      return this.#checked(text, Promise.reject(error));
    }
  }

  /** The outcome of a write that was asynchronous, or failed. */
  async #checked(text: string, sizing: number | Promise<number>): Promise<'written' | 'fenced'> {
    const start = this.#length;
    const data = Buffer.from(text);
    try {
      const size = await sizing;
      if (size !== start + data.length) return await this.#afterRace(start, data, size);
    } catch (error) {
      await this.#cutBack(start);
      throw unwritten(error);
    }
    return this.#grownTo(start + data.length);
  }

  #grownTo(length: number): 'written' {
    this.#length = length;
    this.#endsOpen = false;
    return 'written';
  }

  /** Cheap check before a write: anything behind the last line is from another owner. */
  async #lookAtGrowth(handle: AppendHandle): Promise<'ours' | 'fenced'> {
    if (this.#fenced) return 'fenced';
    const size = await handle.size();
    if (size === this.#length) return 'ours';
    if (size < this.#length)
      throw new Error(`The file was cut from ${this.#length} to ${size} bytes by another program.`);
    const growth = await this.#scanFrom(this.#length);
    this.#fenced = growth.epoch > this.epoch;
    // A write that was reported as failed, and could not be undone, had succeeded.
    if (growth.epoch === this.epoch) this.#head = Math.max(this.#head, growth.ownHead);
    this.#length = growth.size;
    this.#endsOpen = growth.endsOpen;
    return this.#fenced ? 'fenced' : 'ours';
  }

  #scanFrom(size: number): Promise<JournalPosition> {
    const head = this.#head;
    const from = {
      head,
      ownHead: head,
      epoch: this.epoch,
      owner: this.#owner,
      size,
      endsOpen: this.#endsOpen,
    };
    return scanJournal(this.#options.files, this.#path, from);
  }

  /** Another owner wrote at the same moment. Readers accept the first, so this one does too. */
  async #afterRace(start: number, data: Buffer, size: number): Promise<'written' | 'fenced'> {
    const { files } = this.#options;
    const there = Buffer.from(await files.readRange(this.#path, start, data.length));
    const behind = there.equals(data) ? start + data.length : start;
    const growth = await this.#scanFrom(behind);
    this.#fenced = growth.epoch > this.epoch;
    this.#length = Math.max(size, growth.size);
    this.#endsOpen = growth.endsOpen;
    return this.#fenced && behind === start ? 'fenced' : 'written';
  }

  /** Removes a partial write from the file, unless another owner has appended to it. */
  async #cutBack(length: number): Promise<void> {
    const { files } = this.#options;
    try {
      const growth = await this.#scanFrom(length);
      if (growth.size > length && growth.epoch <= this.epoch) await files.truncate(this.#path, length);
    } catch {
      // The end stays as it is: the next write checks it, keeps complete records and begins a new line.
    }
  }

  async sync(): Promise<void> {
    await this.#queue.idle();
    try {
      await (await this.#opened()).sync();
    } catch (error) {
      // The system may have dropped what it could not sync: the descriptor is closed.
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
