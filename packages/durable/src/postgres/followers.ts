/** Followers of sessions: a run writes stream events only while its session has some. */
import type { RunStatement, Statements } from './database.ts';
import { groupCalls, perDatabase } from './group-calls.ts';

/** How long a follower counts as one, and after which time it says so again, in ms. */
const FOLLOWED_MS = 30_000;
export const RENEW_MS = 10_000;

/** The session is followed for the next 30 s; its run is woken if it was not before. */
export async function keepFollowing(run: RunStatement, sessionId: string): Promise<void> {
  await run(FOLLOW, [sessionId]);
}

/** ms for which the session is followed, as far as is known; 0: it is not. */
export const followedMs = (database: Statements, sessionId: string): Promise<number> =>
  followed(database)(sessionId);

const followed = perDatabase(({ run }) =>
  groupCalls(async (sessionIds: readonly string[]): Promise<readonly number[]> => {
    const rows = await run<{ readonly session_id: string; readonly ms: number }>(
      `select session_id, extract(epoch from until - now())::float8 * 1000 as ms
       from turnwright.followers where session_id = any($1)`,
      [sessionIds],
    );
    const known = new Map(rows.map(({ session_id, ms }) => [session_id, ms]));
    return sessionIds.map((id) => Math.max(0, known.get(id) ?? 0));
  }),
);

/** They look again: the state of the session has changed, without a record. */
export function wakeFollowers(run: RunStatement, sessionId: string): Promise<unknown> {
  return run(
    `select pg_notify('turnwright', 'journal ' || $1) from turnwright.followers
     where session_id = $1 and until > now()`,
    [sessionId],
  );
}

const FOLLOW = `
  with before as (
    select 1 from turnwright.followers where session_id = $1 and until > now()
  ), kept as (
    insert into turnwright.followers (session_id, until)
    values ($1, now() + interval '${FOLLOWED_MS} ms')
    on conflict (session_id) do update set until = excluded.until
  )
  select pg_notify('turnwright', 'follow ' || $1) where not exists (select from before)`;
