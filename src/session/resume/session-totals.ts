/** What a session has cost so far: the last `cost` record, and the responses recorded since. */

import type { Usage } from '../../protocol/model/wire.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { ModelUsage } from '../../protocol/stream/result-message.ts';

export interface SessionTotals {
  readonly totalCostUsd: number;
  /** By model, in the shape results carry. */
  readonly modelUsage: Readonly<Record<string, Partial<ModelUsage>>>;
}

export const NO_TOTALS: SessionTotals = Object.freeze({ totalCostUsd: 0, modelUsage: Object.freeze({}) });

export function withResponse(
  totals: SessionTotals,
  model: string,
  usage: Usage,
  costUsd: number,
): SessionTotals {
  const before = totals.modelUsage[model] ?? {};
  const after: Partial<ModelUsage> = {
    ...before,
    inputTokens: sum(before.inputTokens, usage.input_tokens),
    outputTokens: sum(before.outputTokens, usage.output_tokens),
    cacheReadInputTokens: sum(before.cacheReadInputTokens, usage.cache_read_input_tokens),
    cacheCreationInputTokens: sum(before.cacheCreationInputTokens, usage.cache_creation_input_tokens),
    cacheCreationEphemeral5mInputTokens: sum(
      before.cacheCreationEphemeral5mInputTokens,
      usage.cache_creation?.ephemeral_5m_input_tokens,
    ),
    cacheCreationEphemeral1hInputTokens: sum(
      before.cacheCreationEphemeral1hInputTokens,
      usage.cache_creation?.ephemeral_1h_input_tokens,
    ),
    thinkingTokens: sum(before.thinkingTokens, usage.output_tokens_details?.thinking_tokens),
    webSearchRequests: sum(before.webSearchRequests, usage.server_tool_use?.web_search_requests),
    costUSD: sum(before.costUSD, costUsd),
  };
  return {
    totalCostUsd: sum(totals.totalCostUsd, costUsd),
    modelUsage: { ...totals.modelUsage, [model]: after },
  };
}

/** The content of a `cost` record. Throws TypeError for an invalid one. */
export function recordedTotals(record: Extract<JournalBody, { type: 'cost' }>): SessionTotals {
  if (typeof record.totalCostUsd !== 'number') throw new TypeError('a cost record without a cost');
  return {
    totalCostUsd: record.totalCostUsd,
    modelUsage: (record.modelUsage ?? {}) as SessionTotals['modelUsage'],
  };
}

const sum = (a: number | undefined, b: number | undefined): number => (a ?? 0) + (b ?? 0);
