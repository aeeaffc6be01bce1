/** What a session has paid for, in rows that add up: by model, provider, agent and purpose. */
import type { QuerySource } from '../model/model.ts';
import { DEFAULT_RECORDED } from '../model/provider.ts';
import type { Usage } from '../model/wire.ts';
import type { CostForecast } from './forecast.ts';

/** What requests have cost. */
export interface Cost {
  readonly costUsd: number;
  /** false: a model without a price was used, whose share is missing. */
  readonly isPriced: boolean;
}

/** Who spends, where no agent does. */
export const MAIN_AGENT = 'main';

export const NO_COST: Cost = { costUsd: 0, isPriced: true };

/**
 * What a model call was made for. `loop`: an answer of the conversation or of an agent; `retry_waste`: an
 * answer that was paid for and discarded; `advisor`: an answer of another model inside an answer; `unknown`:
 * recorded by an earlier version. Other names are those of helper calls, as `suggestion`.
 */
export type SpendingPurpose =
  | 'loop'
  | 'compaction'
  | 'summary'
  | 'judge'
  | 'web_search'
  | 'web_fetch'
  | 'advisor'
  | 'retry_waste'
  | 'unknown'
  | (string & {});

/** Tokens, searches and USD; each figure is a sum over `calls`. */
export interface SpendingCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  /** Of `cacheCreationInputTokens`: kept for five minutes, and for an hour at a higher price. */
  readonly cacheCreationEphemeral5mInputTokens: number;
  readonly cacheCreationEphemeral1hInputTokens: number;
  readonly thinkingTokens: number;
  readonly webSearchRequests: number;
  /** Without the calls of models that have no price. */
  readonly costUSD: number;
}

export interface SpendingRow extends SpendingCounts {
  readonly model: string;
  /**
   * The provider that answered: `firstParty`, a cloud as `bedrock`, or the name of a configured one;
   * `unknown` of answers whose process ended before their cost was recorded.
   */
  readonly provider: string;
  /** `main`, or the type of the agent. */
  readonly agent: string;
  readonly purpose: SpendingPurpose;
  /** Answers that were paid for. */
  readonly calls: number;
  /** false: the model has no price, so `costUSD` lacks what these calls cost. */
  readonly isPriced: boolean;
  /** Absent in rows of earlier versions, and where there is no price. */
  readonly price?: PriceSource | undefined;
}

/** Where a price is from. */
export interface PriceSource {
  /** `list`, `family` (a guess), `endpoint` or `settings`. */
  readonly source: string;
  /** Date or version of the list. */
  readonly asOf?: string | undefined;
}

/** USD that bought nothing, or more than it had to; what the rows say already counts in them. */
export interface SpendingWaste {
  /** Answers that broke and were asked for again. */
  readonly retriesUsd: number;
  /** Answers that were withheld because a higher output cap was tried. */
  readonly discardedUsd: number;
  /** Input that was paid in full because something broke the prompt cache. */
  readonly cacheBrokenUsd: number;
  /** Answers of turns that were interrupted. */
  readonly interruptedUsd: number;
}

/** What one session has cost. */
export interface SessionCost {
  readonly sessionId: string;
  /** USD; the sum of the rows. */
  readonly totalCostUsd: number;
  readonly rows: readonly SpendingRow[];
  /** Models without a price: what they cost is missing in the total, not zero. */
  readonly unpricedModels: readonly string[];
  /** The part of the total that could have been saved: of the main conversation; retries of agents too. */
  readonly waste: SpendingWaste;
  /** The parts of `waste` that are not zero, each with what it was paid for. */
  readonly wasted: readonly { readonly usd: number; readonly what: string }[];
  /** What the next run like the last one of this folder will cost. Absent: there is no history. */
  readonly next?: CostForecast;
  /** USD in the total, computed at list prices from usage that another program recorded. Absent: none. */
  readonly computedUsd?: number;
}

const PURPOSE_OF_SOURCE: Readonly<Record<string, SpendingPurpose>> = {
  main: 'loop',
  compact: 'compaction',
  hook: 'judge',
};

export function purposeOf(source: QuerySource): SpendingPurpose {
  return source.startsWith('agent:') ? 'loop' : (PURPOSE_OF_SOURCE[source] ?? source);
}

/** The sum of two rows or totals. USD are rounded to 12 places, where binary fractions leave noise. */
function addCounts(a: SpendingCounts, b: SpendingCounts): SpendingCounts {
  return addTimes(a, b, 1);
}

/** What `a` has more than `b`. */
export function subtractCounts(a: SpendingCounts, b: SpendingCounts): SpendingCounts {
  return addTimes(a, b, -1);
}

function addTimes(a: SpendingCounts, b: SpendingCounts, times: 1 | -1): SpendingCounts {
  return {
    inputTokens: a.inputTokens + times * b.inputTokens,
    outputTokens: a.outputTokens + times * b.outputTokens,
    cacheReadInputTokens: a.cacheReadInputTokens + times * b.cacheReadInputTokens,
    cacheCreationInputTokens: a.cacheCreationInputTokens + times * b.cacheCreationInputTokens,
    cacheCreationEphemeral5mInputTokens:
      a.cacheCreationEphemeral5mInputTokens + times * b.cacheCreationEphemeral5mInputTokens,
    cacheCreationEphemeral1hInputTokens:
      a.cacheCreationEphemeral1hInputTokens + times * b.cacheCreationEphemeral1hInputTokens,
    thinkingTokens: a.thinkingTokens + times * b.thinkingTokens,
    webSearchRequests: a.webSearchRequests + times * b.webSearchRequests,
    costUSD: roundedUsd(a.costUSD + times * b.costUSD),
  };
}

export const NO_COUNTS: SpendingCounts = Object.freeze(mapCounts(() => 0));

function mapCounts(value: (name: keyof SpendingCounts) => number): SpendingCounts {
  return {
    inputTokens: value('inputTokens'),
    outputTokens: value('outputTokens'),
    cacheReadInputTokens: value('cacheReadInputTokens'),
    cacheCreationInputTokens: value('cacheCreationInputTokens'),
    cacheCreationEphemeral5mInputTokens: value('cacheCreationEphemeral5mInputTokens'),
    cacheCreationEphemeral1hInputTokens: value('cacheCreationEphemeral1hInputTokens'),
    thinkingTokens: value('thinkingTokens'),
    webSearchRequests: value('webSearchRequests'),
    costUSD: roundedUsd(value('costUSD')),
  };
}

/** No price is finer than a millionth of a millionth of a dollar. */
function roundedUsd(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

/** What one answer adds, without the answers of other models inside it. */
export function toSpendingCounts(usage: Usage, costUSD: number): SpendingCounts {
  const written = usage.cache_creation_input_tokens;
  const oneHour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    cacheCreationInputTokens: written,
    cacheCreationEphemeral5mInputTokens: usage.cache_creation?.ephemeral_5m_input_tokens ?? written - oneHour,
    cacheCreationEphemeral1hInputTokens: oneHour,
    thinkingTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
    webSearchRequests: usage.server_tool_use?.web_search_requests ?? 0,
    costUSD,
  };
}

/** Adds a row to the one of the same model, provider, agent and purpose, or appends it. */
export function withRow(rows: readonly SpendingRow[], row: SpendingRow): readonly SpendingRow[] {
  const at = rows.findIndex(
    ({ model, provider, agent, purpose }) =>
      model === row.model && provider === row.provider && agent === row.agent && purpose === row.purpose,
  );
  const before = rows[at];
  if (before === undefined) return [...rows, row];
  const sum: SpendingRow = {
    ...before,
    ...addCounts(before, row),
    calls: before.calls + row.calls,
    isPriced: before.isPriced && row.isPriced,
  };
  return rows.with(at, sum);
}

/** What each model has used, over all agents and purposes, by the model's name. */
export function countsByModel(rows: readonly SpendingRow[]): Readonly<Record<string, SpendingCounts>> {
  const models: Record<string, SpendingCounts> = {};
  for (const row of rows) models[row.model] = addCounts(models[row.model] ?? NO_COUNTS, row);
  return models;
}

/** USD of all rows. */
export function totalUsd(rows: readonly SpendingRow[]): number {
  return roundedUsd(rows.reduce((sum, { costUSD }) => sum + costUSD, 0));
}

/** The totals of a session, as a `cost` record holds them. */
export interface SpentTotals {
  readonly totalCostUsd: number;
  /** By model, in the shape of `ModelUsage`; records of earlier versions may lack fields. */
  readonly modelUsage: Readonly<Record<string, unknown>>;
  /** The rows of which both are sums; absent in records of earlier versions. */
  readonly spending?: readonly SpendingRow[] | undefined;
}

/** The rows of recorded totals. What an earlier version did not attribute has agent and purpose `unknown`. */
export function listSpending({ totalCostUsd, modelUsage, spending }: SpentTotals): readonly SpendingRow[] {
  const rows =
    spending ??
    Object.entries(modelUsage).map(([model, usage]) => unattributed(model, (usage ?? {}) as RecordedUsage));
  const costUSD = roundedUsd(totalCostUsd - totalUsd(rows));
  return costUSD > LEAST_USD ? [...rows, unattributed('unknown', { costUSD })] : rows;
}

/** Less than this is the noise of binary fractions. */
const LEAST_USD = 1e-9;

type RecordedUsage = Partial<SpendingCounts> & { readonly provider?: string; readonly costBasis?: string };

function unattributed(model: string, usage: RecordedUsage): SpendingRow {
  return {
    model,
    provider: usage.provider ?? DEFAULT_RECORDED,
    agent: 'unknown',
    purpose: 'unknown',
    calls: 0,
    ...mapCounts((name) => usage[name] ?? 0),
    isPriced: usage.costBasis !== 'unknown',
  };
}
