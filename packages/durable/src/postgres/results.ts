/** Which prompts of a session have their results: as its journal says. */
import type { Run } from '../dispatch.ts';
import type { RunStatement } from './database.ts';

export interface InboxPrompt {
  readonly n: number;
  readonly key: string;
  /** Absent: it comes from the session itself, and gets no result of its own. */
  readonly uuid?: string;
  readonly priority?: string;
}

export const promptsAfter = (
  run: RunStatement,
  sessionId: string,
  n: number,
): Promise<readonly InboxPrompt[]> => promptsWhere(run, 'n > $2', [sessionId, n]);

/** Those after the last one that has its result, as the session's row says; else after `n`. */
export const promptsToAnswer = (
  run: RunStatement,
  sessionId: string,
  n: number,
): Promise<readonly InboxPrompt[]> => promptsWhere(run, `n > coalesce((${ANSWERED}), $2)`, [sessionId, n]);

const ANSWERED = 'select answered from turnwright.sessions where session_id = $1';

async function promptsWhere(
  run: RunStatement,
  which: string,
  values: readonly unknown[],
): Promise<readonly InboxPrompt[]> {
  const rows = await run<{ readonly n: number; readonly item: string }>(
    `select n, item from turnwright.inbox where session_id = $1 and ${which} order by n`,
    values,
  );
  return rows.map((row) => ({ ...(JSON.parse(row.item) as Omit<InboxPrompt, 'n'>), n: row.n }));
}

/** Those of the prompts that have none. `answered`: uuids of some that have, for which nothing is read. */
export async function withoutResult(
  run: RunStatement,
  sessionId: string,
  prompts: readonly InboxPrompt[],
  answered: ReadonlySet<string> = new Set(),
): Promise<readonly InboxPrompt[]> {
  const without: InboxPrompt[] = [];
  for (const prompt of prompts) {
    if (prompt.uuid === undefined || answered.has(prompt.uuid)) continue;
    if (!(await hasResult(run, sessionId, { ...prompt, uuid: prompt.uuid }))) without.push(prompt);
  }
  return without;
}

interface Asked {
  readonly uuid: string;
  readonly key: string;
}

/**
 * Whether the result is among the records, up to `seq` if given: it names the prompt, or is that of the
 * submission that the prompt began or joined.
 */
export async function hasResult(
  run: RunStatement,
  sessionId: string,
  { uuid, key }: Asked,
  seq?: number,
): Promise<boolean> {
  const rows = await run(
    `select 1 from turnwright.journal r
     where session_id = $1 and seq <= coalesce($2, seq) and entry_id like '%/result'
       and (position('"' || $3 || '"' in body) > 0 or exists (select 1 from turnwright.journal p where p.session_id = $1 and p.seq < r.seq
         and (p.entry_id = $3 or (p.entry_id like '%/joined' or p.entry_id like '%/inbox')
           and (position('"' || $3 || '"' in p.body) > 0 or position($4 in p.body) > 0))
         and position('"submission":"' || left(r.entry_id, -7) || '"' in p.body) > 0))
     limit 1`,
    [sessionId, seq ?? null, uuid, JSON.stringify(key)],
  );
  return rows.length > 0;
}

/** Of `turnwright.sessions`, for the sweep. */
export const IS_FORGOTTEN = "state = 'idle' and asked > answered";

/**
 * Sessions that are idle, although a prompt of theirs has no result: each gets a new run, which the caller
 * has to ask for. Where the results are there all the same this is noted: a worker that takes no such note
 * ended the run.
 */
export async function queueForgotten(run: RunStatement, limit: number): Promise<readonly Run[]> {
  const found = await run<{ readonly session_id: string; readonly answered: number }>(
    `select session_id, answered from turnwright.sessions where ${IS_FORGOTTEN} limit $1 for update skip locked`,
    [limit],
  );
  const queued: Run[] = [];
  for (const { session_id: sessionId, answered } of found) {
    const open = await withoutResult(run, sessionId, await promptsAfter(run, sessionId, answered));
    const [next] = await run<Run>(
      `update turnwright.sessions set answered = case when $2 then answered else asked end,
         state = case when $2 then 'queued' else state end, run = run + $2::int, updated_at = now(),
         queued_at = case when $2 then now() else queued_at end
       where session_id = $1
       returning session_id as "sessionId", run, host`,
      [sessionId, open.length > 0],
    );
    if (open.length > 0 && next !== undefined) queued.push(next);
  }
  return queued;
}
