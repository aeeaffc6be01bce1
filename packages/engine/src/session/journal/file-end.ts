/**
 * Where the valid part of a session file ends, and what happens when the file does not end there: after a
 * write that failed or was cut off, after another program's lines, and after another owner's takeover.
 */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { AppendHandle, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import { recordIdentity } from './message-record.ts';
import { type JournalPosition, type JournalProblem, readJournal, scanJournal } from './read-journal.ts';

export class FileEnd {
  readonly epoch: number;
  readonly #files: PersistentFiles;
  readonly #path: string;
  readonly #owner: string | undefined;
  #head: number;
  #size: number;
  #endsOpen: boolean;
  #fenced = false;

  constructor(files: PersistentFiles, path: string, position: JournalPosition) {
    this.#files = files;
    this.#path = path;
    this.epoch = position.epoch;
    this.#owner = position.owner;
    this.#head = position.head;
    this.#size = position.size;
    this.#endsOpen = position.endsOpen;
  }

  /** `seq` of the last record. */
  get head(): number {
    return this.#head;
  }

  /** Bytes of the file including the last valid line. */
  get size(): number {
    return this.#size;
  }

  /** The last line has no newline: the next one begins with it. */
  get endsOpen(): boolean {
    return this.#endsOpen;
  }

  /** Another owner has taken the session over. */
  get fenced(): boolean {
    return this.#fenced;
  }

  wrote(bytes: number): void {
    this.#size += bytes;
    this.#endsOpen = false;
  }

  recordedUpTo(seq: number): void {
    this.#head = Math.max(this.#head, seq);
  }

  /** Whether the file ends with the last valid line, and is still this owner's. */
  isEndOf(handle: AppendHandle): boolean {
    try {
      return !this.#fenced && handle.size() === this.#size;
    } catch {
      return false; // `check` fails with the reason
    }
  }

  /** Finds out about what is behind the last line: it is from another owner or program, or a failed write. */
  async check(handle: AppendHandle): Promise<void> {
    if (this.#fenced) return;
    const size = await handle.size();
    if (size === this.#size) return;
    if (size < this.#size)
      throw new Error(`The file was cut from ${this.#size} to ${size} bytes by another program.`);
    const growth = await this.#scanFrom(this.#size);
    this.#fenced = growth.epoch > this.epoch;
    // A write that was reported as failed, and could not be undone, had succeeded.
    if (growth.epoch === this.epoch) this.recordedUpTo(growth.ownHead);
    this.#size = growth.size;
    this.#endsOpen = growth.endsOpen;
  }

  /**
   * Number of these entries that are recorded behind `afterSeq` already, by an earlier attempt whose success
   * was not reported. undefined: there are others in their place.
   */
  async recorded(afterSeq: number, entries: readonly JournalBody[]): Promise<number | undefined> {
    if (afterSeq === this.#head) return 0;
    const last = Math.min(afterSeq + entries.length, this.#head);
    if (last <= afterSeq) return undefined;
    let recorded = 0;
    for await (const entry of readJournal(this.#files, this.#path, { fromSeq: afterSeq + 1 })) {
      if (entry.seq > last) break;
      const body = entries[recorded];
      if (body === undefined || recordIdentity(body) !== recordIdentity(entry)) return undefined;
      recorded++;
    }
    return recorded;
  }

  /**
   * The file has another size after a write than expected: another owner wrote at the same moment. Readers
   * accept the first, so this one does too.
   */
  async afterRace(data: Buffer, size: number): Promise<'written' | 'fenced'> {
    const start = this.#size;
    const there = Buffer.from(await this.#files.readRange(this.#path, start, data.length));
    const behind = there.equals(data) ? start + data.length : start;
    const growth = await this.#scanFrom(behind);
    this.#fenced = growth.epoch > this.epoch;
    this.#size = Math.max(size, growth.size);
    this.#endsOpen = growth.endsOpen;
    return this.#fenced && behind === start ? 'fenced' : 'written';
  }

  /** Removes a partial write from the file, unless another owner has appended to it. */
  async cutBack(): Promise<void> {
    try {
      const growth = await this.#scanFrom(this.#size);
      if (growth.size > this.#size && growth.epoch <= this.epoch)
        await this.#files.truncate(this.#path, this.#size);
    } catch {
      // The end stays as it is: the next write checks it, keeps complete records and begins a new line.
    }
  }

  /** Opens the file again after a failed sync. Throws when records are missing from it. */
  async reopen(): Promise<AppendHandle> {
    const handle = await this.#files.openAppend(this.#path, 0o600);
    const position = await scanJournal(this.#files, this.#path);
    if (position.owner !== this.#owner || position.head >= this.#head) return handle;
    await handle.close();
    throw new Error(`${this.#head - position.head} records are gone from the file.`);
  }

  #scanFrom(size: number): Promise<JournalPosition> {
    const head = this.#head;
    return scanJournal(this.#files, this.#path, {
      head,
      ownHead: head,
      epoch: this.epoch,
      owner: this.#owner,
      size,
      endsOpen: this.#endsOpen,
    });
  }
}

/** Sets a truncated last line aside, then removes it. `look` scans the file; `setAside` reports the line. */
export async function repairEnd(
  files: PersistentFiles,
  path: string,
  look: () => Promise<JournalPosition>,
  setAside: (problem: JournalProblem) => void,
): Promise<JournalPosition> {
  const position = await look();
  const { tornAt, size } = position;
  if (tornAt === undefined) return position;
  const tail = await files.readRange(path, tornAt, size - tornAt);
  const aside = `${path}.torn-${tornAt}-${uuid().slice(0, 8)}`;
  await files.writeAtomic(aside, tail, { mode: 0o600, sync: true });
  // An owner that is being fenced may just have completed that line.
  if ((await files.stat(path))?.size !== size) return repairEnd(files, path, look, setAside);
  await files.truncate(path, tornAt);
  setAside({ kind: 'set_aside', offset: tornAt, bytes: size - tornAt });
  return { ...position, size: tornAt, endsOpen: false, tornAt: undefined };
}

/**
 * Removes a partial takeover line, and a file without any other: a session that could not be started leaves
 * no file.
 */
export async function undoTakeover(
  files: PersistentFiles,
  path: string,
  before: JournalPosition,
): Promise<void> {
  const now = await scanJournal(files, path, before);
  if (now.epoch > before.epoch) return; // the line is complete, or another owner's
  if (now.size > before.size) await files.truncate(path, before.size);
  if (before.size === 0) await files.remove(path);
}
