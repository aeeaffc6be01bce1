/** What a session has cost so far: the last `cost` record, and the responses recorded since. */

import type { Usage } from '../../protocol/model/wire.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import {
  countsByModel,
  countsOf,
  rowsOf,
  type SpendingRow,
  type SpentTotals,
  totalUsd,
  withRow,
} from '../../protocol/session/spending.ts';

export interface SessionTotals extends SpentTotals {
  readonly spending: readonly SpendingRow[];
}

export const NO_TOTALS: SessionTotals = Object.freeze(totalsOf([]));

/** Each figure is a sum of rows. */
function totalsOf(spending: readonly SpendingRow[]): SessionTotals {
  return { totalCostUsd: totalUsd(spending), modelUsage: countsByModel(spending), spending };
}

/** With an answer of the main agent that no `cost` record counts yet. */
export function withResponse(
  { spending }: SessionTotals,
  model: string,
  usage: Usage,
  costUsd: number,
  broken = false,
): SessionTotals {
  const row: SpendingRow = {
    model,
    provider: 'firstParty',
    agent: 'main',
    purpose: broken ? 'retry_waste' : 'loop',
    calls: 1,
    ...countsOf(usage, costUsd),
    isPriced: true,
  };
  return totalsOf(withRow(spending, row));
}

/** The content of a `cost` record. Throws TypeError for an invalid one. */
export function recordedTotals(record: Extract<JournalBody, { type: 'cost' }>): SessionTotals {
  const { totalCostUsd, modelUsage = {}, spending } = record;
  if (typeof totalCostUsd !== 'number') throw new TypeError('a cost record without a cost');
  return totalsOf(rowsOf({ totalCostUsd, modelUsage, ...(Array.isArray(spending) && { spending }) }));
}
