import type { Clock, JournalStore } from '../../protocol/ports.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import { checkedSessionId } from '../session-files.ts';
import { decodeLine, encodeRecord, type SessionPrefix, sessionPrefix } from './envelope.ts';
import { recordIdentity } from './message-record.ts';
import { appendOutOfOrder, notOpen } from './storage-error.ts';

interface MemoryJournalStoreOptions {
  readonly cwd: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly version?: string;
}

interface MemoryJournal {
  readonly prefix: SessionPrefix;
  /** Encoded like in files: what is read shares nothing with what was appended. */
  readonly lines: string[];
  readonly identities: string[];
  epoch: number;
  open: boolean;
}

/** A journal in memory. Sessions stay readable after `close`. */
export function createMemoryJournalStore(options: MemoryJournalStoreOptions): JournalStore {
  const journals = new Map<string, MemoryJournal>();

  function journalOf(sessionId: string): MemoryJournal {
    let journal = journals.get(sessionId);
    if (journal === undefined) {
      const prefix = sessionPrefix({
        sessionId: checkedSessionId(sessionId),
        cwd: options.cwd,
        version: options.version ?? '0',
      });
      journal = { prefix, lines: [], identities: [], epoch: 0, open: false };
      journals.set(sessionId, journal);
    }
    return journal;
  }

  return {
    async takeOver(sessionId) {
      const journal = journalOf(sessionId);
      journal.epoch += 1;
      journal.open = true;
      return { epoch: journal.epoch, head: journal.lines.length };
    },

    append(sessionId, epoch, afterSeq, entries) {
      const journal = journals.get(sessionId);
      if (journal === undefined || !journal.open) throw notOpen(sessionId);
      if (epoch !== journal.epoch) return { fenced: true };
      const last = afterSeq + entries.length;
      if (afterSeq !== journal.lines.length) {
        if (last <= journal.lines.length && isRecorded(journal, afterSeq, entries)) return { seq: last };
        throw appendOutOfOrder(afterSeq, journal.lines.length);
      }
      const nowMs = options.clock.nowMs();
      const lines = entries.map((body, index) =>
        encodeRecord(body, { seq: afterSeq + 1 + index, epoch }, journal.prefix, nowMs),
      );
      journal.lines.push(...lines);
      journal.identities.push(...entries.map(recordIdentity));
      return { seq: last };
    },

    async *read(sessionId, fromSeq = 1) {
      const { lines = [] } = journals.get(sessionId) ?? {};
      const end = lines.length;
      for (let i = Math.max(0, fromSeq - 1); i < end; i++) {
        const decoded = decodeLine(Buffer.from(lines[i] as string));
        if (decoded.kind === 'ok') yield decoded.entry;
      }
    },

    async exists(sessionId) {
      return journals.has(sessionId);
    },

    async close(sessionId) {
      const journal = journals.get(sessionId);
      if (journal !== undefined) journal.open = false;
    },
  };
}

function isRecorded(journal: MemoryJournal, afterSeq: number, entries: readonly JournalBody[]): boolean {
  return entries.every((body, index) => journal.identities[afterSeq + index] === recordIdentity(body));
}
