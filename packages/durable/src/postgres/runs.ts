/** End of a run, and what became of runs that did not end: the state of a session's row. */
import type { Run } from '../dispatch.ts';
import type { Database, RunStatement, Statements } from './database.ts';
import { wakeFollowers } from './followers.ts';
import { type InboxPrompt, promptsToAnswer, withoutResult } from './results.ts';
import type { HoldingLimit } from './tenants/run-places.ts';

/** Takeovers in a row without progress, after which a session is set aside. */
export const BARREN_EPOCHS = 5;

/** A session as a worker sees it, when it begins to work on it. */
export interface SessionRow {
  readonly sessionId: string;
  readonly tenant: string;
  /** The only host that may run it; null: any. */
  readonly host: string | null;
  readonly cwd: string | null;
  readonly run: number;
  /** With which it was written last: the run raises it before it writes. */
  readonly epoch: number;
  /** How often it was taken over since its last progress. */
  readonly barren: number;
  /** Since the run was asked for. */
  readonly waitedSeconds: number;
  /** Runs of its tenant at once, and USD that it may use in a UTC day; null: no limit. */
  readonly mostRuns: number | null;
  readonly usdPerDay: number | null;
}

/** Why a run ended before the session had nothing left to do. */
export interface ParkedOn {
  readonly on: 'ask' | 'time';
  readonly askIds?: readonly string[];
  /** ms since 1970. */
  readonly wakeAt?: number;
  /** For people, where it is neither a tool nor the provider that it waits for. */
  readonly why?: string;
  /** Which limit of its tenant that is. */
  readonly limit?: HoldingLimit;
}

/** A run as its worker knows it. Once another one has raised the epoch, it ends nothing. */
interface OwnRun {
  readonly sessionId: string;
  readonly run: number;
  readonly workerId: string;
  /** With which it has written, or else with which it began. */
  readonly epoch: number;
  /** Of its takeover; undefined: it has not taken the session over. */
  readonly owner?: string | undefined;
}

interface EndOptions extends OwnRun {
  /** Number of the last item of the inbox that the run was given. */
  readonly taken: number;
  /** uuids of the prompts that its results name. */
  readonly answered?: ReadonlySet<string> | undefined;
  /** undefined: the session has nothing left to do. */
  readonly parked?: ParkedOn | undefined;
  /** Of the last result. */
  readonly outcome?: unknown;
}

/**
 * `again`: something arrived that the run has not seen. `lost`: another worker has the session. A prompt does
 * not wake a session that waits for an answer, unless it is urgent: it would ask, and wait, again. What the
 * session has no result for is noted: the sweep looks for it.
 */
export function endRun(database: Database, end: EndOptions): Promise<'ended' | 'again' | 'lost'> {
  const { sessionId, run: number, workerId, epoch, owner, taken, parked, outcome } = end;
  return database.transaction(async (run) => {
    const [[row], prompts, [answer]] = await Promise.all([
      run<{ readonly answered: number | null }>(
        `select answered from turnwright.sessions
         where session_id = $1 and run = $2 and worker = $3 and epoch = $4
           and owner is not distinct from coalesce($5, owner) and state = 'running' for update`,
        [sessionId, number, workerId, epoch, owner ?? null],
      ),
      // They see what was committed before the lock was given.
      promptsToAnswer(run, sessionId, taken),
      run(
        `select 1 from turnwright.asks where session_id = $1 and ask_id = any($2) and answer is not null
         union all
         select 1 from turnwright.interrupts where session_id = $1 and taken_epoch is null and $3 limit 1`,
        [sessionId, parked?.askIds ?? [], parked !== undefined],
      ),
    ]);
    if (row === undefined) return 'lost';
    const wakes = ({ n, priority }: InboxPrompt) => n > taken && (parked?.on !== 'ask' || priority === 'now');
    if (answer !== undefined || prompts.some(wakes)) return 'again';
    const open = parked === undefined ? await withoutResult(run, sessionId, prompts, end.answered) : [];
    const answered = Math.min(...open.map(({ n }) => n - 1), Math.max(taken, row.answered ?? 0));
    const isForgotten = open.length > 0;
    const said = json(isForgotten ? { failure: FORGOTTEN } : outcome);
    void run(
      `update turnwright.sessions set
         state = case when $2::jsonb is null then 'idle' else 'parked' end, parked = $2,
         wake_at = to_timestamp($3::float8 / 1000), outcome = coalesce($4, outcome),
         worker = null, barren_epochs = case when $5 then barren_epochs else 0 end, updated_at = now(),
         asked = greatest(asked, $6), answered = case when $2::jsonb is null then $7 else answered end
       where session_id = $1`,
      [sessionId, json(parked), parked?.wakeAt ?? null, said, isForgotten, taken, answered],
    );
    // What was interrupted waits for no answer.
    if (parked === undefined)
      void run('delete from turnwright.asks where session_id = $1 and answer is null', [sessionId]);
    void wakeFollowers(run, sessionId);
    return 'ended';
  });
}

/** Why a session is set aside whose runs end so. */
export const FORGOTTEN = 'each ended without a result for every prompt.';

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

interface FailedRun extends OwnRun {
  readonly error: string;
  /** When it is tried again, doubled with each time that counts. */
  readonly retryMs: number;
  /**
   * `session`: it is set aside when this happens too often. `database`: that the session was taken over is
   * not held against it either.
   */
  readonly fault: 'session' | 'version' | 'database';
}

const COUNTED = { session: 1, version: 0, database: -1 } as const;

/** A run was broken off while its worker lived: the takeover by it says nothing about the session. */
export async function forgiveTakeover({ run }: Statements, sessionId: string): Promise<void> {
  await run(
    `update turnwright.sessions set barren_epochs = greatest(barren_epochs - 1, 0)
     where session_id = $1 and barren_epochs > 0 and state <> 'poisoned'`,
    [sessionId],
  );
}

/** The run could not work: it is tried again later. */
export async function failRun(run: RunStatement, failed: FailedRun): Promise<void> {
  const { sessionId, run: number, workerId, epoch, owner, retryMs, fault } = failed;
  const failure = JSON.stringify({ failure: failed.error });
  await run(
    `update turnwright.sessions set state = 'parked', parked = '{"on":"time"}', worker = null,
       wake_at = now() + $4::float8 * (1 << least(barren_epochs, 6)) * interval '1 ms',
       barren_epochs = greatest(barren_epochs + $5, 0), outcome = $6, updated_at = now()
     where session_id = $1 and run = $2 and worker = $3 and epoch = $7 and owner is not distinct from coalesce($8, owner)
       and state = 'running'`,
    [sessionId, number, workerId, retryMs, COUNTED[fault], failure, epoch, owner ?? null],
  );
}

/** The same runs, each with the host that its session is bound to. */
export async function withHosts(run: RunStatement, runs: readonly Run[]): Promise<readonly Run[]> {
  const rows = await run<{ readonly session_id: string; readonly host: string }>(
    'select session_id, host from turnwright.sessions where session_id = any($1) and host is not null',
    [runs.map(({ sessionId }) => sessionId)],
  );
  const hosts = new Map(rows.map(({ session_id, host }) => [session_id, host]));
  return runs.map((one) => ({ ...one, host: hosts.get(one.sessionId) ?? null }));
}

/** Those that are queued and that no other worker has locked; locks their rows for the transaction. */
export function queuedRuns(run: RunStatement, sessionIds: readonly string[]): Promise<readonly Run[]> {
  return run<Run>(
    `select session_id as "sessionId", run, host from turnwright.sessions
     where session_id = any($1) and state = 'queued' for update skip locked`,
    [sessionIds],
  );
}

/** Sessions whose waiting time is over: each gets a new run, which the caller has to ask for. */
export function queueDue(run: RunStatement, limit: number): Promise<readonly Run[]> {
  return run<Run>(
    `update turnwright.sessions set state = 'queued', run = run + 1, wake_at = null, updated_at = now(),
       queued_at = now()
     where session_id in (select session_id from turnwright.sessions
       where ${IS_DUE} order by wake_at limit $1 for update skip locked)
     returning session_id as "sessionId", run, host`,
    [limit],
  );
}

/** Of `turnwright.sessions`, for the sweep: what waits for a time that has come. */
export const IS_DUE = "state = 'parked' and wake_at <= now()";
/** What ought to be worked on, without a sign for some seconds: with `OF_THIS` or `OF_NONE` it may not be. */
export const IS_OLD = "state in ('queued', 'running') and updated_at < now() - interval '3 s'";
/** `$1` is the worker, which works on `$2`. */
export const OF_THIS = "state = 'running' and worker = $1 and session_id <> all($2)";
export const OF_NONE = `state = 'queued' or worker is null
  or not exists (select from turnwright.workers w where w.worker_id = s.worker)`;

/** Sessions that a worker has in its hands need not be looked at. */
interface DoubtfulOptions {
  readonly workerId: string;
  /** Sessions that this worker works on. */
  readonly active: readonly string[];
  /** Also those of workers that are gone, and those that wait for any. */
  readonly others: boolean;
  readonly limit: number;
}

/** `isAbandoned`: it was running, and certainly no worker works on it. Otherwise it waits to begin. */
export interface DoubtfulRun extends Run {
  readonly isAbandoned: boolean;
}

/**
 * Runs that ought to be worked on, and may not be. Each is looked at again after some seconds. Those that are
 * abandoned are taken from the worker that they are said to be of, so that any other may begin them.
 */
export function doubtfulRuns(
  run: RunStatement,
  { workerId, active, others, limit }: DoubtfulOptions,
): Promise<readonly DoubtfulRun[]> {
  return run<DoubtfulRun>(
    `update turnwright.sessions set worker = null, updated_at = now()
     where session_id in (select session_id from turnwright.sessions s
       where ${IS_OLD} and (${OF_THIS} or $3 and (${OF_NONE}))
       order by updated_at limit $4 for update skip locked)
     returning session_id as "sessionId", run, host, state = 'running' as "isAbandoned"`,
    [workerId, active, others, limit],
  );
}

/** Replaces a run that will not be worked on by the next one, which the caller has to ask for. */
export async function queueAgain(run: RunStatement, gone: Run): Promise<Run | undefined> {
  const [next] = await run<Run>(
    `update turnwright.sessions set state = 'queued', run = run + 1, worker = null, updated_at = now(),
       queued_at = case when state = 'queued' then queued_at else now() end
     where session_id = $1 and run = $2 and state in ('queued', 'running')
     returning session_id as "sessionId", run, host`,
    [gone.sessionId, gone.run],
  );
  return next;
}
