/** What clients do to a session's row: each call is one transaction, which queues a run where needed. */

import { shownId } from '@turnwright/base/text/cut-text.ts';
import { isPlainName } from '@turnwright/base/text/plain-name.ts';
import type { PermissionResult } from '@turnwright/engine';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { InboxItem } from '@turnwright/engine/protocol/ports.ts';
import type { SessionState } from '../session-status.ts';
import type { Database, RunStatement } from './database.ts';
import { putItem } from './inbox-rows.ts';
import { notify } from './listener.ts';
import { absentSession } from './retention/removed.ts';
import { admitSession } from './tenants/tenant-facts.ts';

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
    const [created] = await run(
      `insert into turnwright.sessions (session_id, tenant, cwd, answered) values ($1, $2, $3, 0)
       on conflict do nothing returning 1`,
      [sessionId, tenant, cwd ?? null],
    );
    if (created !== undefined) await admitSession(run, tenant);
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
