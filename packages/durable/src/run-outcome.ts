/** What the last result of a session says, in short: for those that list sessions. */
import type { SDKResultMessage } from '@turnwright/engine';
import type { Statements } from './postgres/database.ts';

export interface RunOutcome {
  readonly subtype: string;
  readonly isError: boolean;
  readonly reason: string | undefined;
  readonly costUsd: number;
  readonly turns: number;
}

export const toOutcome = (result: SDKResultMessage): RunOutcome => ({
  subtype: result.subtype,
  isError: result.is_error,
  reason: result.terminal_reason,
  costUsd: result.total_cost_usd,
  turns: result.num_turns,
});

/** USD since the result before it. */
export const sumNewCost = ({ model_usage_since_last_result: models = {} }: SDKResultMessage): number =>
  Object.values(models).reduce((sum, { costUSD }) => sum + costUSD, 0);

/** Of the journal, for a run that had nothing to do: the one before it died between result and end. */
export async function lastOutcome({ run }: Statements, sessionId: string): Promise<RunOutcome | undefined> {
  // Texts that quote such a record have other quotes; of what holds one as it is, there is little.
  const rows = await run<{ readonly body: string }>(
    `select body from turnwright.journal where session_id = $1 and body like '%"type":"result"%'
     order by seq desc limit 20`,
    [sessionId],
  );
  for (const { body } of rows) {
    const record = JSON.parse(body) as { readonly type: string; readonly result?: SDKResultMessage };
    if (record.type === 'result' && record.result !== undefined) return toOutcome(record.result);
  }
  return undefined;
}
