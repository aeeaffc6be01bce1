/** Records of a journal as text, for stores that keep them elsewhere than in session files. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalBody, JournalEntry } from '../../protocol/session/journal.ts';
import { digested } from '../../session/journal/digest.ts';
import { EarlierRecords } from '../../session/journal/earlier-records.ts';
import { decodeLine, encodeRecord, peekLine, sessionPrefix } from '../../session/journal/envelope.ts';
import { recordIdentity } from '../../session/journal/message-record.ts';
import { asAppended, asWritten } from '../../session/journal/stored-form.ts';
import { type KeptResultsFormat, keptResults } from '../../session/kept-results.ts';
import { type NeedlessRecords, needlessRecords } from '../../session/resume/needless.ts';
import { checkedSessionId } from '../../session/session-files.ts';
import { VERSION } from '../version.ts';

/** The text form of journal records, as in session files. */
export interface JournalFormat {
  /**
   * Writes records of one session, each as a line without newline. Throws `invalid_option` for a text that is
   * not a session id; `encode` throws `storage_error` for a record above 64 MB.
   */
  linesOf(session: { readonly sessionId: string; readonly cwd: string }): {
    encode(
      body: JournalBody,
      at: { readonly seq: number; readonly epoch: number; readonly nowMs: number },
    ): string;
  };
  /**
   * The record of a line. Throws `session_unreadable` for one of a later version of the format, and
   * `storage_error` for a damaged one.
   */
  decode(line: string): JournalEntry;
  /** What identifies a record in its session: the same when it is appended again. */
  idOf(body: JournalBody): string;
  /**
   * Collects what a resume needs of a journal, from its start or from where a snapshot ends. undefined: the
   * snapshot is of another version of the program.
   */
  recordsToResume(snapshot?: string): RecordsToResume | undefined;
  /**
   * Which records before a compaction that is older than `olderThan`, ms since 1970, a session can do
   * without, and the record that takes the place of the first of them. undefined: there are none.
   */
  needless(entries: readonly JournalEntry[], olderThan: number): NeedlessRecords | undefined;
  /** The files of large results that a session has in its store. */
  readonly keptResults: KeptResultsFormat;
  /** The text from which `recordsToResume` continues. */
  snapshotOf(entries: readonly JournalEntry[]): string;
}

/** What a resume needs: large records of finished submissions are omitted. */
export interface RecordsToResume {
  /** Throws like `decode`. */
  add(line: string): void;
  /** In order. undefined: the session was rewound, so all of its records are needed. */
  entries(): readonly JournalEntry[] | undefined;
}

export const JOURNAL_FORMAT: JournalFormat = {
  linesOf({ sessionId, cwd }) {
    const prefix = sessionPrefix({ sessionId: checkedSessionId(sessionId), cwd, version: VERSION });
    return { encode: (body, { nowMs, ...head }) => encodeRecord(body, head, prefix, nowMs) };
  },

  decode: (line) => decoded(Buffer.from(line)),

  idOf: recordIdentity,

  recordsToResume(snapshot) {
    const before = snapshot === undefined ? [] : readSnapshot(snapshot);
    if (before === undefined) return undefined;
    const records = new EarlierRecords(before);
    return {
      add(line) {
        const bytes = Buffer.from(line);
        const head = peekLine(bytes);
        if (head === undefined || !records.line(bytes, head)) records.entry(decoded(bytes));
      },
      entries: () => records.entries(),
    };
  },

  needless: needlessRecords,
  keptResults,

  snapshotOf(entries) {
    const kept = digested(entries).map(asWritten);
    return JSON.stringify({ v: SNAPSHOT_VERSION, program: VERSION, entries: kept });
  },
};

const SNAPSHOT_VERSION = 1;

function readSnapshot(text: string): readonly JournalEntry[] | undefined {
  const { v, program, entries } = JSON.parse(text) as {
    readonly v: number;
    readonly program: string;
    readonly entries: readonly Record<string, unknown>[];
  };
  // Another version of the program may parse records differently.
  if (v !== SNAPSHOT_VERSION || program !== VERSION) return undefined;
  return entries.map(asAppended) as unknown as readonly JournalEntry[];
}

function decoded(line: Buffer): JournalEntry {
  const found = decodeLine(line);
  switch (found.kind) {
    case 'ok':
      return found.entry;
    case 'newer':
      throw new TurnwrightError(
        'session_unreadable',
        `Session ${found.entry.sessionId} was continued by a later version of turnwright, whose records this one cannot read: update it.`,
      );
    default:
      throw new TurnwrightError('storage_error', 'A record of the journal is damaged.');
  }
}
