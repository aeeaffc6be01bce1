/**
 * Sessions are taken out at once, and their rows then removed in small transactions: whatever ends in
 * between, the table of removed sessions names those of which rows are left, and none of them begins anew.
 */
import { codeOf } from '@turnwright/base/text/error-text.ts';
import type { RunStatement } from '../database.ts';
import { IS_REMOVED } from '../database-error.ts';

/** Tables whose rows belong to one session, and how many of them one transaction removes. */
const OF_A_SESSION = {
  journal: 5_000,
  messages: 5_000,
  frames: 5_000,
  inbox: 5_000,
  interrupts: 5_000,
  asks: 5_000,
  followers: 5_000,
  // Up to many megabytes each.
  snapshots: 50,
  blobs: 50,
} as const;
type SessionTable = keyof typeof OF_A_SESSION;
const TABLES = Object.keys(OF_A_SESSION) as SessionTable[];

/** Sessions that are taken out by one statement. */
const SESSIONS_AT_ONCE = 100;

interface OldSessions {
  /** Without a change for so long. */
  readonly olderThanMs: number;
  /** Only those whose ids are greater. */
  readonly behind: string;
}

/**
 * Takes out the next sessions, in the order of their ids, that are idle or poisoned and did not change for so
 * long. Their ids, in order; none: there are no more. An index on the time of the last change would cost each
 * append more than one look at all sessions costs a night.
 */
export async function takeOutOld(
  run: RunStatement,
  { olderThanMs, behind }: OldSessions,
): Promise<readonly string[]> {
  const rows = await run<{ readonly session_id: string }>(TAKE_OUT_OLD, [olderThanMs / 1_000, behind]);
  return rows.map(({ session_id }) => session_id).toSorted();
}

const TAKE_OUT_OLD = `
  with old as (
    select session_id from turnwright.sessions
    where session_id > $2 and state in ('idle', 'poisoned') and updated_at < now() - make_interval(secs => $1)
    order by session_id limit ${SESSIONS_AT_ONCE} for update skip locked
  ), noted as (
    insert into turnwright.removed (session_id, kind) select session_id, 'deleting' from old
  )
  delete from turnwright.sessions s using old where s.session_id = old.session_id returning s.session_id`;

/** Takes a session out, whatever its state is. */
export async function takeOut(run: RunStatement, sessionId: string): Promise<void> {
  await run(
    `with gone as (delete from turnwright.sessions where session_id = $1 returning session_id)
     insert into turnwright.removed (session_id, kind) select session_id, 'deleting' from gone`,
    [sessionId],
  );
}

/** Ends what calls that were ended before have left. */
export async function removeUnfinished(run: RunStatement): Promise<void> {
  for (let ids = await unfinished(run); ids.length > 0; ids = await unfinished(run)) {
    // Otherwise another process is at it.
    if (!(await removeRows(run, ids))) return;
  }
}

/** Sessions that were taken out, and of which rows may be left. */
async function unfinished(run: RunStatement): Promise<readonly string[]> {
  const rows = await run<{ readonly session_id: string }>(
    `select session_id from turnwright.removed where has_rows order by session_id limit ${SESSIONS_AT_ONCE}`,
  );
  return rows.map(({ session_id }) => session_id);
}

/**
 * Removes the rows of sessions that were taken out. `run` is not that of a transaction. Rows that another
 * process removes at this moment are left to it: false when there are some.
 */
export async function removeRows(run: RunStatement, sessionIds: readonly string[]): Promise<boolean> {
  for (const table of TABLES) await removeFrom(run, table, sessionIds);
  const [row] = await run<{ readonly left: number }>(NOTE_THAT_ALL_IS_GONE, [sessionIds]);
  return row?.left === 0;
}

const NOTE_THAT_ALL_IS_GONE = `
  with empty as (
    select session_id, kind from turnwright.removed r where session_id = any($1) and has_rows and not exists (
      ${TABLES.map((table) => `select from turnwright.${table} t where t.session_id = r.session_id`).join(' union all ')})
  ), deleted as (
    delete from turnwright.removed r using empty
    where r.session_id = empty.session_id and empty.kind = 'deleting'
  ), kept as (
    update turnwright.removed r set has_rows = false from empty
    where r.session_id = empty.session_id and empty.kind <> 'deleting'
  )
  select (select count(*) from turnwright.removed where session_id = any($1) and has_rows)::int
    - (select count(*) from empty)::int as left`;

/**
 * Each statement looks whether the session is still one that was taken out: it may have begun anew, or been
 * brought back, and what it has written since is not seen by a statement that began before.
 */
async function removeFrom(run: RunStatement, table: SessionTable, ids: readonly string[]): Promise<void> {
  const most = OF_A_SESSION[table];
  for (;;) {
    const [{ count } = { count: 0 }] = await run<{ readonly count: number }>(
      `with gone as (
         delete from turnwright.${table} where ctid = any(array(
           select t.ctid from turnwright.${table} t
             join turnwright.removed r on r.session_id = t.session_id and r.has_rows
           where t.session_id = any($1) limit ${most} for update of t skip locked))
         returning 1
       )
       select count(*)::int as count from gone`,
      [ids],
    );
    if (count < most) return;
  }
}

/** Whether the tables refused a session, because it is being deleted or was archived. */
export const isRemoved = (error: unknown, kind: 'deleting' | 'archived'): boolean => {
  const cause = error instanceof Error ? error.cause : undefined;
  return codeOf(cause) === IS_REMOVED && (cause as { readonly detail?: unknown }).detail === kind;
};
