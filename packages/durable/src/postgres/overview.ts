/** What a person asks of a database of sessions as a whole. */
import type { RunStatement } from './database.ts';
import type { HoldingLimit } from './tenants/run-places.ts';

/** A worker, as its last heartbeat left it. */
export interface SeenWorker {
  readonly workerId: string;
  readonly host: string;
  readonly pid: number;
  /** ms since its last heartbeat, by the clock of the database. */
  readonly heartbeatAgeMs: number;
  /** It takes no new runs. */
  readonly draining: boolean;
  /** Of the package. */
  readonly version: string;
}

/** A question, and who asks it. */
interface WaitingQuestion {
  readonly sessionId: string;
  readonly askId: string;
  readonly toolName: string;
}

/** The state of a database of sessions. */
export interface Overview {
  /** Sessions by state; a state without sessions is absent. */
  readonly sessions: Readonly<Record<string, number>>;
  /** Sessions that are in an archive. */
  readonly archived: number;
  /** Questions that no one has answered yet, and the ten that have waited longest. */
  readonly openAsks: number;
  readonly questions: readonly WaitingQuestion[];
  /** Sessions that were set aside, with what for: the ten that were last. */
  readonly setAside: readonly { readonly sessionId: string; readonly error: string }[];
  /** Parked sessions that a limit of their tenant holds, by limit; one without any is absent. */
  readonly held: Readonly<Partial<Record<HoldingLimit, number>>>;
  /** ms that the oldest queued session has waited for a worker; undefined: none is queued. */
  readonly oldestQueuedMs: number | undefined;
  readonly workers: readonly SeenWorker[];
  /** Of the whole database. */
  readonly bytes: number;
}

/** How long the oldest queued session has waited, in seconds; null: none waits. */
export const OLDEST_QUEUED = `(select extract(epoch from now() - min(coalesce(queued_at, updated_at)))::float8
  from turnwright.sessions where state = 'queued')`;

/** That are named. */
const MOST_NAMED = 10;

/** Reads the state of a database whose tables exist. */
export async function overviewOf(run: RunStatement): Promise<Overview> {
  const states = await run<{ readonly state: string; readonly count: number }>(
    'select state, count(*)::int as count from turnwright.sessions group by state order by state',
  );
  const [facts] = await run<{
    readonly asks: number;
    readonly archived: number;
    readonly held: Overview['held'];
    readonly queued_ms: number | null;
    readonly bytes: number;
  }>(
    `select
      (select count(*)::int from turnwright.asks where answer is null) as asks,
      (select count(*)::int from turnwright.removed where kind = 'archived') as archived,
      (select coalesce(json_object_agg(h.limit, h.n), '{}') from (select parked ->> 'limit' as limit, count(*)::int as n
        from turnwright.sessions where state = 'parked' and parked ? 'limit' group by 1) h) as held,
      ${OLDEST_QUEUED} * 1000 as queued_ms,
      pg_database_size(current_database())::float8 as bytes`,
  );
  const questions = await run<WaitingQuestion>(
    `select session_id as "sessionId", ask_id as "askId", tool_name as "toolName" from turnwright.asks
     where answer is null order by asked_at limit ${MOST_NAMED}`,
  );
  const setAside = await run<{ readonly session_id: string; readonly outcome: string | null }>(
    `select session_id, outcome from turnwright.sessions where state = 'poisoned'
     order by updated_at desc limit ${MOST_NAMED}`,
  );
  const workers = await run<{
    readonly worker_id: string;
    readonly host: string;
    readonly pid: number;
    readonly age_ms: number;
    readonly draining: boolean;
    readonly version: string;
  }>(
    `select worker_id, host, pid, draining, version,
      extract(epoch from now() - heartbeat)::float8 * 1000 as age_ms
      from turnwright.workers order by started_at`,
  );
  return {
    sessions: Object.fromEntries(states.map(({ state, count }) => [state, count])),
    archived: facts?.archived ?? 0,
    openAsks: facts?.asks ?? 0,
    questions,
    setAside: setAside.map(({ session_id: sessionId, outcome }) => {
      const { error = '' } = JSON.parse(outcome ?? '{}') as { readonly error?: string };
      return { sessionId, error };
    }),
    held: facts?.held ?? {},
    oldestQueuedMs: facts?.queued_ms ?? undefined,
    workers: workers.map(({ worker_id, age_ms, ...worker }) => ({
      ...worker,
      workerId: worker_id,
      heartbeatAgeMs: age_ms,
    })),
    bytes: facts?.bytes ?? 0,
  };
}
