/** Reads a session file as it is, damage and foreign records included (F70, F72, F73). */
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { JournalStore } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { type DecodedLine, decodeLine, type ForeignRecord, type PeekedLine, peekLine } from './envelope.ts';
import { type FileLine, readLines, readLinesAtOnce } from './read-lines.ts';
import { salvageLine } from './salvage.ts';

type JournalProblemKind =
  /** Not a record, or a truncated one. */
  | 'torn'
  | 'bad_checksum'
  /** A run of NULs, alone or around a record that was recovered. */
  | 'nul'
  /** Several records on one line; the complete ones were recovered. */
  | 'merged_lines'
  | 'too_long'
  /** Written by an owner that had already lost the session. */
  | 'fenced'
  /** A truncated end, found when the file was opened for writing: copied beside it, then removed. */
  | 'set_aside'
  /** Of a later format: kept, ignored. */
  | 'newer_version';

export interface JournalProblem {
  readonly kind: JournalProblemKind;
  /** Byte offset of the line in the file. */
  readonly offset: number;
  readonly bytes: number;
}

type OnProblem = (problem: JournalProblem) => void;

/** The end of the valid part of a file. */
export interface JournalPosition {
  /** `seq` of the last valid record; 0 before the first. */
  readonly head: number;
  /** The same, for own records only. */
  readonly ownHead: number;
  readonly epoch: number;
  /** Nonce of the current owner. */
  readonly owner: string | undefined;
  readonly size: number;
  /** The last line has no newline. */
  readonly endsOpen: boolean;
  /** Offset of a last line that has no newline and is not a record. */
  readonly tornAt?: number | undefined;
}

/** Tracks seq and epoch through the records of a file, in order. Foreign records continue the count. */
class Place {
  head: number;
  ownHead: number;
  epoch: number;
  owner: string | undefined;

  constructor({ head, ownHead, epoch, owner }: JournalPosition) {
    this.head = head;
    this.ownHead = ownHead;
    this.epoch = epoch;
    this.owner = owner;
  }

  /** Whether the record counts: its owner had not lost the session. */
  record(head: { readonly seq: number; readonly epoch: number }): boolean {
    if (head.epoch < this.epoch) return false;
    // The takeover line of this epoch may be damaged.
    this.epoch = head.epoch;
    this.head = Math.max(this.head, head.seq);
    this.ownHead = Math.max(this.ownHead, head.seq);
    return true;
  }

  takeover(epoch: number, owner: string): void {
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.owner = owner;
  }
}

/** Every entry of a session, in the journal's order. */
export async function readEntries(store: JournalStore, sessionId: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(sessionId)) entries.push(entry);
  return entries;
}

export async function* readJournal(
  files: PersistentFiles,
  path: string,
  options: { readonly fromSeq?: number | undefined; readonly onProblem?: OnProblem | undefined },
): AsyncGenerator<JournalEntry> {
  const place = new Place(EMPTY_JOURNAL);
  const fromSeq = options.fromSeq ?? 0;
  for await (const line of readLines(files, path)) {
    const report = (kind: JournalProblemKind) => options.onProblem?.(problemIn(line, kind));
    if (isEmpty(line)) continue;
    // Records before `fromSeq` are placed, not parsed.
    const peeked = fromSeq > place.head + 1 ? peekLine(line.bytes) : undefined;
    if (peeked !== undefined && peeked.type !== 'takeover' && peeked.seq < fromSeq) {
      if (!place.record(peeked)) report('fenced');
      continue;
    }
    for (const decoded of decodeRecords(line, report)) {
      const entry = accept(decoded, place, report);
      if (entry !== undefined && entry.seq >= fromSeq) yield entry;
    }
  }
}

/** The start of an empty file. */
export const EMPTY_JOURNAL: JournalPosition = Object.freeze({
  head: 0,
  ownHead: 0,
  epoch: 0,
  owner: undefined,
  size: 0,
  endsOpen: false,
});

/** Receives the lines of a scan, in the file's order. */
export interface ScanListener {
  /**
   * A valid own record, not parsed. Returns false if it is not one. Its bytes are valid during the call only.
   */
  line(bytes: Buffer, head: PeekedLine): boolean;
  partIsOver(): void;
  /** Any other record. */
  entry(entry: JournalEntry): void;
  readonly problem: OnProblem;
}

/** Finds the end of the valid part without parsing own records; continues where an earlier scan ended. */
export async function scanJournal(
  files: PersistentFiles,
  path: string,
  from: JournalPosition = EMPTY_JOURNAL,
  listener?: ScanListener,
): Promise<JournalPosition> {
  const place = new Place(from);
  const start = from.size;
  let size = start;
  let tornAt: number | undefined;
  let endsOpen = false;

  const pass = (line: FileLine) => {
    size = line.end;
    endsOpen = !line.complete;
    if (isEmpty(line)) return;
    const report = (kind: JournalProblemKind) => listener?.problem(problemIn(line, kind));
    const peeked = peekLine(line.bytes);
    if (peeked?.owner !== undefined) place.takeover(peeked.epoch, peeked.owner);
    else if (peeked !== undefined) {
      if (!place.record(peeked)) report('fenced');
      else if (listener?.line(line.bytes, peeked) === false) report('torn');
    } else {
      const found = decodeRecords(line, report);
      for (const decoded of found) {
        const entry = accept(decoded, place, report);
        if (entry !== undefined) listener?.entry(entry);
      }
      // A line from which records were recovered is kept; one without any can be set aside.
      if (endsOpen && found.length === 0 && !line.tooLong) tornAt = line.start;
    }
  };
  for await (const lines of readLinesAtOnce(files, path, { start })) {
    for (const line of lines) pass(line);
    listener?.partIsOver();
  }
  const { head, ownHead, epoch, owner } = place;
  return { head, ownHead, epoch, owner, size, endsOpen, tornAt };
}

/** The same for lines outside of a file: fenced records are omitted. */
export function toJournalEntries(lines: Iterable<DecodedLine>): JournalEntry[] {
  const place = new Place(EMPTY_JOURNAL);
  return [...lines].flatMap((line) => accept(line, place, ignore) ?? []);
}

const problemIn = (line: FileLine, kind: JournalProblemKind): JournalProblem => ({
  kind,
  offset: line.start,
  bytes: line.end - line.start,
});

const ignore = (): void => undefined;
const isEmpty = (line: FileLine): boolean => line.bytes.length === 0 && !line.tooLong;

function decodeRecords(line: FileLine, report: (kind: JournalProblemKind) => void): readonly DecodedLine[] {
  if (line.tooLong) {
    report('too_long');
    return [];
  }
  const decoded = decodeLine(line.bytes);
  if (decoded.kind !== 'torn' && decoded.kind !== 'bad_checksum') return [decoded];
  const { records, onlyNul } = salvageLine(line.bytes);
  report(onlyNul || line.bytes.includes(0) ? 'nul' : records.length > 0 ? 'merged_lines' : decoded.kind);
  return records;
}

function accept(
  decoded: DecodedLine,
  place: Place,
  report: (kind: JournalProblemKind) => void,
): JournalEntry | undefined {
  switch (decoded.kind) {
    case 'ok':
    case 'newer':
      if (decoded.kind === 'newer') report('newer_version');
      if (place.record(decoded.entry)) return decoded.entry;
      report('fenced');
      return undefined;
    case 'takeover':
      place.takeover(decoded.head.epoch, decoded.owner);
      return undefined;
    case 'foreign': {
      place.head += 1;
      return fromTranscript(decoded.record, place.head);
    }
    // Reported where the line was decoded.
    case 'torn':
    case 'bad_checksum':
      return undefined;
  }
}

/** `v` 0 marks a record of another program. */
export function fromTranscript(record: ForeignRecord, seq: number): JournalEntry {
  return {
    sessionId: '',
    cwd: '',
    timestamp: '',
    ...record,
    v: 0,
    seq,
    epoch: 0,
  } as unknown as JournalEntry;
}
