/**
 * Reads what is behind a position of a session, for all followers of it in this process: those that ask at
 * the same time share one statement, and what it returned.
 */
import type { SDKMessage } from '@turnwright/engine';
import type { Place } from '@turnwright/engine/protocol/ports.ts';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import type { RunStatement } from '../postgres/database.ts';
import type { SessionOutbox, SessionPage } from '../postgres/outbox-rows.ts';
import { isAfter } from './position.ts';

/** A record, or a message that the journal does not hold, at its position. */
export type StreamItem = { readonly at: Place; readonly epoch: number } & (
  | { readonly kind: 'entry'; readonly entry: JournalEntry }
  | { readonly kind: 'message' | 'frame'; readonly message: SDKMessage }
);

/** What was there at one moment. */
interface Page extends Omit<SessionPage, 'entries' | 'frames'> {
  /** In order. */
  readonly pieces: readonly StreamItem[];
}

/** The pages of one session. */
export interface Pages {
  readonly sessionId: string;
  readonly run: RunStatement;
  readonly outbox: SessionOutbox;
  /** A page that is read after this call. Rejects with `session_not_found`. */
  after(position: Place): Promise<Page>;
}

export function openPages({ run, outbox, sessionId }: Pick<Pages, 'run' | 'outbox' | 'sessionId'>): Pages {
  /** By the record behind which they read; their statement has not begun. */
  const next = new Map<number, { n: number; readonly page: Promise<Page> }>();
  const reading = new Map<number, Promise<unknown>>();

  async function read(seq: number): Promise<Page> {
    await reading.get(seq)?.catch(() => undefined);
    // Those who were woken by the same notification join.
    await new Promise((resolve) => setImmediate(resolve));
    const n = next.get(seq)?.n ?? 0;
    next.delete(seq);
    const page = outbox.read(sessionId, { seq, n }).then(toPage);
    reading.set(seq, page);
    return page.finally(() => {
      if (reading.get(seq) === page) reading.delete(seq);
    });
  }

  return {
    sessionId,
    run,
    outbox,
    async after(position) {
      const { seq, n } = position;
      const joined = next.get(seq) ?? { n, page: read(seq) };
      joined.n = Math.min(joined.n, n);
      next.set(seq, joined);
      const page = await joined.page;
      return { ...page, pieces: page.pieces.filter(({ at }) => isAfter(at, position)) };
    },
  };
}

function toPage({ entries, frames, ...facts }: SessionPage): Page {
  const pieces: StreamItem[] = [
    ...entries.map(
      (entry): StreamItem => ({ kind: 'entry', at: { seq: entry.seq, n: 0 }, epoch: entry.epoch, entry }),
    ),
    ...frames.map(
      ({ at, epoch, isKept, data }): StreamItem => ({
        kind: isKept ? 'message' : 'frame',
        at,
        epoch,
        message: data as SDKMessage,
      }),
    ),
  ];
  return { ...facts, pieces: pieces.toSorted((a, b) => (isAfter(a.at, b.at) ? 1 : -1)) };
}
