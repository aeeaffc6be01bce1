/** Begin of a run: by the worker that it was given to, unless something keeps it from beginning. */
import type { Database, RunStatement } from '../database.ts';
import { wakeFollowers } from '../followers.ts';
import { groupCalls, perDatabase } from '../group-calls.ts';
import { BARREN_EPOCHS, FORGOTTEN, type SessionRow } from '../runs.ts';
import { holdBack, IS_UNLIMITED } from './run-places.ts';
import { lockTenant, selectLimit } from './tenant-facts.ts';

interface BeginOptions {
  readonly sessionId: string;
  readonly run: number;
  readonly workerId: string;
  /** Binds the session to this host, unless it is bound already. */
  readonly bindTo?: string | undefined;
}

/**
 * undefined: there is nothing to do, because the run is over, another worker that lives has it, another one
 * is asked for, a limit of the tenant holds it, or the session is set aside after too many takeovers without
 * progress.
 */
export async function beginRun(database: Database, begun: BeginOptions): Promise<SessionRow | undefined> {
  return (await beginning(database)(begun)) ?? (await beginOtherwise(database, begun));
}

const beginning = perDatabase(({ run }) =>
  groupCalls(async (begun: readonly BeginOptions[]) => beginAll(run, BEGIN_UNLIMITED, begun), {
    keyOf: ({ sessionId }) => sessionId,
  }),
);

async function beginAll(
  run: RunStatement,
  statement: string,
  begun: readonly BeginOptions[],
): Promise<readonly (SessionRow | undefined)[]> {
  const rows = await run<SessionRow>(statement, [
    begun.map(({ sessionId }) => sessionId),
    begun.map((one) => one.run),
    begun.map(({ workerId }) => workerId),
    begun.map(({ bindTo }) => bindTo ?? null),
  ]);
  const sessions = new Map(rows.map((row) => [row.sessionId, row]));
  return begun.map(({ sessionId, run: number }) => {
    const session = sessions.get(sessionId);
    return session?.run === number ? session : undefined;
  });
}

/**
 * That a run was handed over is no proof that its worker is gone: a session that runs is not taken from a
 * worker that lives. Rows are locked in one order, so that two processes do not wait for each other.
 */
const begin = (which: string): string => `
  with given as (
    select g.* from unnest($1::text[], $2::int[], $3::text[], $4::text[]) as g (session_id, run, worker, host)
      join turnwright.sessions s using (session_id) order by session_id for update of s
  )
  update turnwright.sessions s
  set state = 'running', worker = g.worker, host = coalesce(s.host, g.host), updated_at = now(),
    held_at = null, place_until = null
  from given g
  where s.session_id = g.session_id and s.run = g.run and s.barren_epochs < ${BARREN_EPOCHS}
    and (s.state = 'queued' or s.state = 'running' and (s.worker is null or s.worker = g.worker
      or not exists (select from turnwright.workers w where w.worker_id = s.worker)))
    and ${which}
  returning s.session_id as "sessionId", s.tenant, s.host, s.cwd, s.run, s.epoch, s.barren_epochs as barren,
    extract(epoch from now() - coalesce(s.queued_at, now()))::float8 as "waitedSeconds",
    ${selectLimit('runs', 's.tenant')} as "mostRuns", ${selectLimit('usd_per_day', 's.tenant')} as "usdPerDay"`;

const BEGIN_UNLIMITED = begin(IS_UNLIMITED);
const BEGIN = begin('true');

/** For one that did not begin at once: its tenant has limits, it is set aside, or it need not begin. */
async function beginOtherwise(database: Database, begun: BeginOptions): Promise<SessionRow | undefined> {
  const { sessionId, run } = begun;
  const [row] = await database.run<{ readonly tenant: string; readonly barren: number }>(
    `select tenant, barren_epochs as barren from turnwright.sessions
     where session_id = $1 and run = $2 and (state = 'queued' or state = 'running' and barren_epochs >= ${BARREN_EPOCHS})`,
    [sessionId, run],
  );
  if (row === undefined) return undefined;
  if (row.barren < BARREN_EPOCHS) return withinLimits(database)({ ...begun, tenant: row.tenant });
  await setAside(database.run, sessionId, run);
  return undefined;
}

interface LimitedOptions extends BeginOptions {
  readonly tenant: string;
}

/** One connection of a process decides, as each waits for the lock of its tenant. */
const withinLimits = perDatabase(({ transaction }) =>
  groupCalls(
    (begun: readonly LimitedOptions[]) =>
      transaction(async (run) => {
        for (const tenant of [...new Set(begun.map((one) => one.tenant))].toSorted())
          await lockTenant(run, tenant);
        const sessions: (SessionRow | undefined)[] = [];
        // The order of their ids: rows are locked in it.
        for (const one of begun.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)))
          if (!(await holdBack(run, one))) sessions.push(...(await beginAll(run, BEGIN, [one])));
        return begun.map(({ sessionId }) => sessions.find((session) => session?.sessionId === sessionId));
      }),
    { keyOf: ({ sessionId }) => sessionId, statements: 1, most: 20 },
  ),
);

/** Changes nothing when there is another reason why the run does not begin. */
async function setAside(run: RunStatement, sessionId: string, number: number): Promise<void> {
  const [row] = await run<{ readonly outcome: string | null; readonly last: string | null }>(
    `select outcome, (select j.body from turnwright.journal j where j.session_id = s.session_id
       order by seq desc limit 1) as last
     from turnwright.sessions s
     where session_id = $1 and run = $2 and state in ('queued', 'running') and barren_epochs >= ${BARREN_EPOCHS}`,
    [sessionId, number],
  );
  if (row === undefined) return;
  const { failure } = JSON.parse(row.outcome ?? '{}') as { readonly failure?: string };
  const why = failure ?? `each time the worker ended${row.last === null ? '' : during(row.last)}.`;
  const error = `Set aside after ${BARREN_EPOCHS} runs in a row without any progress: ${why}`;
  await run(
    `update turnwright.sessions set state = 'poisoned', outcome = $3, worker = null, updated_at = now(),
       answered = case when $4 then asked else answered end
     where session_id = $1 and run = $2 and state in ('queued', 'running')`,
    [sessionId, number, JSON.stringify({ error }), failure === FORGOTTEN],
  );
  await wakeFollowers(run, sessionId);
}

/** What had begun when the last record was written. */
function during(record: string): string {
  const { type, toolName } = JSON.parse(record) as { readonly type: string; readonly toolName?: string };
  if (type === 'intent') return `, the last time after ${toolName} had begun`;
  return type === 'request' ? ', the last time after a request to the model had begun' : '';
}
