/** A journal in memory that a test can read, and that fails on demand. */

import { extended } from '@turnwright/base/collections/extended.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { Clock, JournalStore } from '@turnwright/engine/protocol/ports.ts';
import type { JournalBody, JournalEntry, Recorder } from '@turnwright/engine/protocol/session/journal.ts';
import { JOURNAL_VERSION } from '@turnwright/engine/protocol/session/journal.ts';

/** A journal store in memory, with its records. */
export interface RecordingStore extends JournalStore {
  /** Entries of the session's journal, in order. */
  entries(sessionId: string): readonly JournalEntry[];
  /** The next append rejects with this error. */
  failNextAppend(error: Error): void;
}

/** Options of `recordingStore()`. */
export interface RecordingStoreOptions {
  readonly cwd?: string;
  /** Clock for the timestamps; without it every timestamp is 1970. */
  readonly clock?: Pick<Clock, 'nowMs'>;
}

/** Meets the contract of `JournalStore`, fencing included. */
export function recordingStore(options: RecordingStoreOptions = {}): RecordingStore {
  const sessions = new Map<string, { epoch: number; entries: JournalEntry[] }>();
  let failing: Error | undefined;
  return {
    entries: (sessionId) => sessions.get(sessionId)?.entries ?? [],
    failNextAppend(error) {
      failing = error;
    },
    async takeOver(sessionId) {
      const session = sessions.get(sessionId) ?? { epoch: 0, entries: [] };
      sessions.set(sessionId, session);
      session.epoch += 1;
      return { epoch: session.epoch, head: session.entries.length };
    },
    async append(sessionId, epoch, afterSeq, bodies) {
      if (failing !== undefined) {
        const error = failing;
        failing = undefined;
        throw error;
      }
      const session = sessions.get(sessionId);
      if (session === undefined)
        throw new TurnwrightError('session_not_found', `There is no session ${sessionId}.`);
      if (epoch !== session.epoch) return { fenced: true };
      if (afterSeq !== session.entries.length) {
        throw new TurnwrightError(
          'storage_error',
          `Append after ${afterSeq}, but the journal stands at ${session.entries.length}.`,
        );
      }
      const timestamp = new Date(options.clock?.nowMs() ?? 0).toISOString();
      for (const body of bodies) {
        const seq = session.entries.length + 1;
        const envelope = { v: JOURNAL_VERSION, seq, epoch, sessionId, cwd: options.cwd ?? '/', timestamp };
        session.entries.push(extended(envelope, structuredClone(body)));
      }
      return { seq: session.entries.length };
    },
    async *read(sessionId, fromSeq = 1) {
      const entries = sessions.get(sessionId)?.entries ?? [];
      for (let i = Math.max(0, fromSeq - 1); i < entries.length; i++) yield entries[i] as JournalEntry;
    },
    async sync() {},
    async exists(sessionId) {
      return sessions.has(sessionId);
    },
    async close() {},
  };
}

/** The loop's recorder in memory, with the records that the loop wrote. */
export interface RecordingRecorder extends Recorder {
  /** Every appended body, in order. */
  readonly bodies: readonly JournalBody[];
  /** Number of bodies at each commit. */
  readonly commits: readonly number[];
  ofType<T extends JournalBody['type']>(type: T): readonly Extract<JournalBody, { type: T }>[];
}

/** Faults of a recorder: failing appends, a takeover, a callback before each append. */
export interface RecorderOptions {
  /** The n-th append (from 1) and every later one rejects as fenced. */
  readonly fenceAt?: number;
  /** The n-th append (from 1) rejects with `error`; the others succeed. */
  readonly failAt?: number;
  /** Default: `storage_error`. */
  readonly error?: Error;
  /** Awaited before each append, to simulate a slow disk. */
  readonly before?: (entries: readonly JournalBody[]) => void | Promise<void>;
}

/** A `Recorder` that collects what the loop records. */
export function recorder(options: RecorderOptions = {}): RecordingRecorder {
  const bodies: JournalBody[] = [];
  const commits: number[] = [];
  let appends = 0;
  return {
    bodies,
    commits,
    ofType<T extends JournalBody['type']>(type: T) {
      return bodies.filter((body): body is Extract<JournalBody, { type: T }> => body.type === type);
    },
    async append(entries) {
      appends += 1;
      const n = appends;
      await options.before?.(entries);
      if (options.fenceAt !== undefined && n >= options.fenceAt) {
        throw new TurnwrightError('fenced', 'Another process has taken this session over.');
      }
      if (n === options.failAt) {
        throw options.error ?? new TurnwrightError('storage_error', 'The disk is full (scripted).');
      }
      bodies.push(...entries);
    },
    later(entries) {
      bodies.push(...entries);
    },
    async commit() {
      commits.push(bodies.length);
    },
  };
}
