/**
 * Reads what is behind a position of a session, for all followers of it in this process: those that ask at
 * the same time share one statement, and what it returned.
 */
import { journalFormat, type SDKMessage } from '../index.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import type { RunStatement } from './postgres/database.ts';
import { noSuchSession } from './postgres/sessions.ts';
import { isAfter, type Position } from './stream.ts';

/** A record, or a message that the journal does not hold, at its position. */
export type Piece = { readonly at: Position; readonly epoch: number } & (
  | { readonly kind: 'entry'; readonly entry: JournalEntry }
  | { readonly kind: 'message' | 'frame'; readonly message: SDKMessage }
);

/** What was there at one moment. */
interface Page {
  /** In order. */
  readonly pieces: readonly Piece[];
  /** Owner of the session. */
  readonly epoch: number;
  /** Last record of the page, and of the session. */
  readonly upto: number;
  readonly head: number;
  readonly state: string;
  /** JSON. */
  readonly outcome: string | null;
}

/** The pages of one session. */
export interface Pages {
  readonly sessionId: string;
  readonly run: RunStatement;
  /** A page that is read after this call. Rejects with `session_not_found`. */
  after(position: Position): Promise<Page>;
}

/** Records that are read at once. */
const PAGE = 500;

export function openPages(run: RunStatement, sessionId: string): Pages {
  /** By the record behind which they read; their statement has not begun. */
  const next = new Map<number, { n: number; readonly page: Promise<Page> }>();
  const reading = new Map<number, Promise<unknown>>();

  async function read(seq: number): Promise<Page> {
    await reading.get(seq)?.catch(() => undefined);
    // Those who were woken by the same notification join.
    await new Promise((resolve) => setImmediate(resolve));
    const n = next.get(seq)?.n ?? 0;
    next.delete(seq);
    const page = readPage(run, sessionId, { seq, n });
    reading.set(seq, page);
    return page.finally(() => {
      if (reading.get(seq) === page) reading.delete(seq);
    });
  }

  return {
    sessionId,
    run,
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

interface Row {
  readonly kind: 'session' | Piece['kind'];
  readonly seq: number;
  readonly n: number;
  readonly epoch: number;
  readonly body: string;
}

async function readPage(run: RunStatement, sessionId: string, { seq, n }: Position): Promise<Page> {
  const format = await journalFormat();
  const [session, ...rows] = await run<Row>(READ, [sessionId, seq, n]);
  if (session === undefined) throw noSuchSession(sessionId);
  const pieces = rows.map((row): Piece => {
    const at = { seq: row.seq, n: row.n };
    const { kind, epoch, body } = row;
    if (kind === 'message' || kind === 'frame')
      return { at, epoch, kind, message: JSON.parse(body) as SDKMessage };
    return { at, epoch, kind: 'entry', entry: format.decode(body) };
  });
  const facts = JSON.parse(session.body) as Pick<Page, 'head' | 'upto' | 'state' | 'outcome'>;
  return { ...facts, epoch: session.epoch, pieces };
}

/**
 * One statement, so that what it sees is of one moment: whatever precedes a visible record or message was
 * visible before it. The first row is the session's.
 */
const READ = `
  with session as (
    select head, epoch, state, outcome, least(head, $2::int + ${PAGE}) as upto
    from turnwright.sessions where session_id = $1
  )
  select 'session' as kind, -1 as seq, 0::float8 as n, epoch,
    jsonb_build_object('head', head, 'upto', upto, 'state', state, 'outcome', outcome)::text as body
    from session
  union all
  select 'entry', j.seq, 0, j.epoch, j.body from turnwright.journal j, session
    where j.session_id = $1 and j.seq > $2 and j.seq <= upto
  union all
  select 'message', after_seq, n, m.epoch, message from turnwright.messages m, session
    where m.session_id = $1 and (after_seq, n) > ($2, $3) and after_seq <= upto
  union all
  select 'frame', after_seq, n, f.epoch, message from turnwright.frames f, session
    where f.session_id = $1 and (after_seq, n) > ($2, $3) and after_seq <= upto
  order by seq, n`;
