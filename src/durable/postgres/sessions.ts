/** What clients do to a session's row: each call is one transaction, which queues a run where needed. */
import type { PermissionResult } from '../../index.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { InboxItem } from '../../protocol/ports.ts';
import { shownId } from '../../util/text/cut-text.ts';
import { isPlainName } from '../../util/text/plain-name.ts';
import type { Database, RunStatement } from './database.ts';
import { putItem } from './inbox.ts';
import { notify } from './listen.ts';
import { absentSession } from './retention/removed.ts';

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
  /** Of the last run: facts of its result, or the `error` for which the session was set aside. */
  readonly outcome?: Readonly<Record<string, unknown>>;
  /** Those without an answer. */
  readonly questions: readonly OpenQuestion[];
  /** ms since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

const MOST_ID_CHARS = 128;

/** A run will find what is new. */
const WORKED_ON: ReadonlySet<SessionState> = new Set(['queued', 'running']);

/** A new run of a session, which has to be asked for. */
const QUEUED = `state = 'queued', run = run + 1, wake_at = null, updated_at = now(), queued_at = now(),
        barren_epochs = case when state = 'poisoned' then 0 else barren_epochs end`;

interface PromptOptions {
  readonly sessionId: string;
  readonly item: Omit<InboxItem, 'n'>;
  readonly tenant: string;
  readonly cwd: string | undefined;
}

/** `head`: number of the last journal entry before the prompt. Creates the session if there is none. */
export function sendPrompt(
  database: Database,
  { sessionId, item, tenant, cwd }: PromptOptions,
): Promise<{ readonly fresh: boolean; readonly head: number }> {
  if (!isPlainName(sessionId, MOST_ID_CHARS))
    throw new TurnwrightError(
      'invalid_option',
      `"${shownId(sessionId)}" is not a session id: letters, digits, "-" and "_" only, at most ${MOST_ID_CHARS}.`,
    );
  return database.transaction(async (run) => {
    await run(
      `insert into turnwright.sessions (session_id, tenant, cwd, answered) values ($1, $2, $3, 0)
       on conflict do nothing`,
      [sessionId, tenant, cwd ?? null],
    );
    // The lock orders it with the end of a run, which looks for prompts that it has not seen.
    const { head, state, waitsFor } = await locked(run, sessionId);
    // They came when the run that they were for had ended.
    if (state === 'idle')
      await run('delete from turnwright.interrupts where session_id = $1 and taken_epoch is null', [
        sessionId,
      ]);
    const { n, fresh } = await putItem(run, sessionId, item);
    // A prompt does not wake a session that waits for an answer, unless it is urgent.
    const wakes = state === 'parked' ? waitsFor === 'time' || item.priority === 'now' : !WORKED_ON.has(state);
    if (fresh) await (wakes ? queueRun(run, sessionId, n) : run(ASKED, [sessionId, n]));
    return { fresh, head };
  });
}

interface InterruptOptions {
  readonly sessionId: string;
  readonly key: string;
}

/** Whether there was something to interrupt: a session that is idle has nothing. */
export function putInterrupt(database: Database, { sessionId, key }: InterruptOptions): Promise<boolean> {
  return database.transaction(async (run) => {
    const { state } = await locked(run, sessionId);
    if (state === 'idle' || state === 'poisoned') return false;
    await run('insert into turnwright.interrupts (session_id, key) values ($1, $2) on conflict do nothing', [
      sessionId,
      key,
    ]);
    await notify(run, 'interrupt', sessionId);
    if (state === 'parked') await queueRun(run, sessionId);
    return true;
  });
}

interface AnswerOptions {
  readonly sessionId: string;
  readonly askId: string;
  readonly answer: PermissionResult;
}

/** Rejects with `invalid_option` when there is no such question, or when it has its answer. */
export function putAnswer(database: Database, { sessionId, askId, answer }: AnswerOptions): Promise<void> {
  return database.transaction(async (run) => {
    const [asked] = await run<{ readonly question: string | null }>(LOCK_WITH_QUESTION, [sessionId, askId]);
    if (asked === undefined) throw await absentSession(run, sessionId);
    if (asked.question === null)
      throw new TurnwrightError('invalid_option', `Session ${sessionId} has not asked ${shownId(askId)}.`);
    const { elicitation } = JSON.parse(asked.question) as { readonly elicitation?: unknown };
    const given = JSON.stringify(elicitation === undefined ? answer : elicited(answer));
    const [answered] = await run(ANSWER, [sessionId, askId, given]);
    if (answered === undefined)
      throw new TurnwrightError('invalid_option', `Question ${askId} has been answered already.`);
  });
}

/** The lock orders an answer with the end of a run, which looks for answers that it has not seen. */
const LOCK_WITH_QUESTION = `
  select a.question from turnwright.sessions s
    left join turnwright.asks a on a.session_id = s.session_id and a.ask_id = $2
  where s.session_id = $1 for update of s`;

/** A statement of its own, because it has to see what was committed before the lock was given. */
const ANSWER = `
  with answered as (
    update turnwright.asks set answer = $3, answered_at = now()
    where session_id = $1 and ask_id = $2 and answer is null
    returning session_id
  ), queued as (
    update turnwright.sessions s set ${QUEUED} from answered
    where s.session_id = answered.session_id and s.state = 'parked' and s.parked ->> 'on' = 'ask'
    returning s.session_id
  )
  select pg_notify('turnwright', 'answer ' || session_id),
    (select pg_notify('turnwright', 'run ' || session_id) from queued)
  from answered`;

/** The answer to a form of an MCP server: `updatedInput` holds its fields. */
function elicited(answer: PermissionResult): object {
  return answer.behavior === 'allow'
    ? { action: 'accept', content: answer.updatedInput ?? {} }
    : { action: 'decline' };
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
export function listSessions(
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
  const rows = await run<StatusRow>(`select * from turnwright.sessions where ${which}`, values);
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
    ...(row.outcome !== null && { outcome: JSON.parse(row.outcome) as Record<string, unknown> }),
    questions: asks.filter(({ session_id }) => session_id === row.session_id).map(questionOf),
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  }));
}

function questionOf({ ask_id, tool_use_id, tool_name, question, asked_at }: AskRow): OpenQuestion {
  return {
    askId: ask_id,
    toolUseId: tool_use_id,
    toolName: tool_name,
    question: JSON.parse(question) as Record<string, unknown>,
    askedAt: asked_at.getTime(),
  };
}

interface LockedRow {
  readonly head: number;
  readonly run: number;
  readonly host: string | null;
  readonly state: SessionState;
  /** Of a session that is parked. */
  readonly waitsFor: 'ask' | 'time' | null;
}

/** Locks the session's row until the end of the transaction. */
export async function locked(run: RunStatement, sessionId: string): Promise<LockedRow> {
  const [row] = await run<LockedRow>(
    `select head, run, host, state, parked ->> 'on' as "waitsFor" from turnwright.sessions
     where session_id = $1 for update`,
    [sessionId],
  );
  if (row === undefined) throw await absentSession(run, sessionId);
  return row;
}

const ASKED = 'update turnwright.sessions set asked = $2 where session_id = $1';

/** `asked`: number of the prompt for which it is. A worker that hears of the queued run asks for it. */
export async function queueRun(run: RunStatement, sessionId: string, asked?: number): Promise<void> {
  await run(
    `with queued as (
       update turnwright.sessions set ${QUEUED}, asked = coalesce($2, asked)
       where session_id = $1 returning session_id
     )
     select pg_notify('turnwright', 'run ' || session_id) from queued`,
    [sessionId, asked ?? null],
  );
}
