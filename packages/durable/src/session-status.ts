/** Sessions as they are stored, for those that look at them. */
import type { RunStatement } from './postgres/database.ts';
import type { HoldingLimit } from './postgres/tenants/run-places.ts';

/** State of a session: `queued` waits for a worker, `parked` for an answer or a time. */
export type SessionState = 'idle' | 'queued' | 'running' | 'parked' | 'poisoned';

/** A question that a session waits for. */
export interface OpenQuestion {
  readonly askId: string;
  readonly toolUseId: string;
  readonly toolName: string;
  /** `input` of the call and what is known of it, or the `elicitation` of an MCP server. */
  readonly question: Readonly<Record<string, unknown>>;
  /** ms since 1970. */
  readonly askedAt: number;
}

/** A session as it is stored. */
export interface SessionStatus {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly tenant: string;
  /** The only host that may run it; undefined: any. */
  readonly host?: string;
  /** Id of the worker that runs it. */
  readonly worker?: string;
  /** The title that the session was given. */
  readonly title?: string;
  /** How often it was taken over. */
  readonly epoch: number;
  /** Number of its last journal entry; `follow` from `<head>.0` gives what comes after it. */
  readonly head: number;
  /** Of the first record that the journal has, where earlier ones were removed (`shortenSessions`). */
  readonly keptFrom?: number;
  /** When a parked session goes on by itself, in ms since 1970. */
  readonly wakeAt?: number;
  /** Why a parked session waits, for people, and which limit of its tenant that is. */
  readonly why?: string;
  readonly limit?: HoldingLimit;
  /** Of the last run: facts of its result, or the `error` for which the session was set aside. */
  readonly outcome?: Readonly<Record<string, unknown>>;
  /** Those without an answer. */
  readonly questions: readonly OpenQuestion[];
  /** ms since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** undefined: there is no such session. */
export async function sessionStatus(
  run: RunStatement,
  sessionId: string,
): Promise<SessionStatus | undefined> {
  const [found] = await statuses(run, 'session_id = $1', [sessionId]);
  return found;
}

interface ListOptions {
  readonly state?: SessionState | undefined;
  readonly tenant?: string | undefined;
  /** What the ids begin with. */
  readonly prefix?: string | undefined;
  readonly limit: number;
}

/** Those that changed last come first. */
export function listSessionStatuses(
  run: RunStatement,
  { state, tenant, prefix, limit }: ListOptions,
): Promise<readonly SessionStatus[]> {
  return statuses(
    run,
    `($1::text is null or state = $1) and ($2::text is null or tenant = $2) and starts_with(session_id, $4)
     order by updated_at desc limit $3`,
    [state ?? null, tenant ?? null, limit, prefix ?? ''],
  );
}

interface StatusRow {
  readonly session_id: string;
  readonly state: SessionState;
  readonly tenant: string;
  readonly host: string | null;
  readonly worker: string | null;
  readonly title: string | null;
  readonly epoch: number;
  readonly head: number;
  readonly kept_from: number | null;
  readonly wake_at: Date | null;
  readonly why: string | null;
  readonly limit: HoldingLimit | null;
  readonly outcome: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface AskRow {
  readonly session_id: string;
  readonly ask_id: string;
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly question: string;
  readonly asked_at: Date;
}

async function statuses(
  run: RunStatement,
  which: string,
  values: readonly unknown[],
): Promise<readonly SessionStatus[]> {
  const rows = await run<StatusRow>(
    `select *, case when state = 'parked' then parked ->> 'why' end as why,
       case when state = 'parked' then parked ->> 'limit' end as limit
     from turnwright.sessions where ${which}`,
    values,
  );
  const asks = await run<AskRow>(
    'select * from turnwright.asks where session_id = any($1) and answer is null order by asked_at',
    [rows.map(({ session_id }) => session_id)],
  );
  return rows.map((row) => ({
    sessionId: row.session_id,
    state: row.state,
    tenant: row.tenant,
    ...(row.host !== null && { host: row.host }),
    ...(row.worker !== null && { worker: row.worker }),
    ...(row.title !== null && { title: row.title }),
    epoch: row.epoch,
    head: row.head,
    ...(row.kept_from !== null && { keptFrom: row.kept_from }),
    ...(row.wake_at !== null && { wakeAt: row.wake_at.getTime() }),
    ...(row.why !== null && { why: row.why }),
    ...(row.limit !== null && { limit: row.limit }),
    ...(row.outcome !== null && { outcome: JSON.parse(row.outcome) as Record<string, unknown> }),
    questions: asks.filter(({ session_id }) => session_id === row.session_id).map(toQuestion),
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  }));
}

function toQuestion({ ask_id, tool_use_id, tool_name, question, asked_at }: AskRow): OpenQuestion {
  return {
    askId: ask_id,
    toolUseId: tool_use_id,
    toolName: tool_name,
    question: JSON.parse(question) as Record<string, unknown>,
    askedAt: asked_at.getTime(),
  };
}
