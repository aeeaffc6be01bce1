/** What followers of a session read: its journal and the frames beside it, in one order. */
import { journalFormat as loadFormat } from '@turnwright/engine';
import type { Outbox, OutboxPage, Place } from '@turnwright/engine/protocol/ports.ts';
import type { Statements } from './database.ts';
import { keepFollowing } from './followers.ts';
import type { Listener } from './listener.ts';
import { outlasting } from './outlasting.ts';
import { absentSession } from './retention/removed.ts';
import { rowsInto, streamValues } from './stream-rows.ts';

/** What the row of the session says, at the moment of the page. */
export interface SessionPage extends OutboxPage {
  readonly state: string;
  /** JSON. */
  readonly outcome: string | null;
}

export interface SessionOutbox extends Outbox {
  read(sessionId: string, behind: Place): Promise<SessionPage>;
}

/** Records that are read at once. */
const PAGE = 500;

/**
 * A publish waits for a server that is away; what followers ask for is theirs to repeat. `owner`: of the
 * takeovers that publish (`createJournalStore`); without one nothing is published.
 */
export function createOutbox(
  database: Statements,
  listener: Pick<Listener, 'wakes'>,
  owner?: string,
): SessionOutbox {
  const { run } = outlasting(database);
  return {
    async publish(sessionId, epoch, frames, cut) {
      const [row] = await run<{ readonly ms: number | null }>(
        frames.some(({ isKept }) => isKept) ? WRITE_KEPT : WRITE,
        [sessionId, epoch, cut, ...streamValues([frames]), owner ?? null],
      );
      return row === undefined ? { fenced: true } : { followedMs: row.ms ?? 0 };
    },

    async read(sessionId, { seq, n }) {
      const format = await loadFormat();
      const [session, ...rows] = await database.run<Row>(READ, [sessionId, seq, n]);
      if (session === undefined) throw await absentSession(database.run, sessionId);
      const facts = JSON.parse(session.body) as Pick<SessionPage, 'head' | 'upto' | 'state' | 'outcome'>;
      return {
        ...facts,
        epoch: session.epoch,
        entries: rows.flatMap(({ kind, body }) => (kind === 'entry' ? [format.decode(body)] : [])),
        frames: rows.flatMap(({ kind, epoch, body, ...at }) =>
          kind === 'entry' ? [] : [{ at, epoch, isKept: kind === 'message', data: JSON.parse(body) }],
        ),
      };
    },

    follow: (sessionId) => keepFollowing(database.run, sessionId),

    wake: (sessionId, signal) => listener.wakes('journal', sessionId, signal),
  };
}

/** Nothing, and no row, when another takeover owns the session. */
const write = (lock: string): string => `
  with fence as (
    select session_id, epoch, 1 as at from turnwright.sessions
    where session_id = $1 and epoch = $2 and owner = $12 ${lock}
  ), gone as (
    delete from turnwright.frames using fence where frames.session_id = $1 and after_seq < $3
  ), messages as (${rowsInto('messages', 4)}
  ), frames as (${rowsInto('frames', 8)}
  ), follower as (
    select until from turnwright.followers where session_id = $1 and until > now()
  )
  select (select extract(epoch from until - now())::float8 * 1000 from follower) as ms,
    (select pg_notify('turnwright', 'journal ' || $1) from follower)
  from fence`;

const WRITE_KEPT = write('for share');
/**
 * A lock would be logged, and wait for the disk. Followers ignore frames of an epoch that has lost the
 * session.
 */
const WRITE = write('');

interface Row extends Place {
  readonly kind: 'session' | 'entry' | 'message' | 'frame';
  readonly epoch: number;
  readonly body: string;
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
