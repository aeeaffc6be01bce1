/**
 * Every model call of a session is paid for here (L9). Usage counts once per effect key; a discarded answer
 * is billed as waste; answers inside an answer (advisors) count under their own model. What was spent is kept
 * in rows, of which every other figure is a sum.
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import { addUsage } from '../../model/catalog/add-usage.ts';
import { canonicalModel } from '../../model/catalog/model-info.ts';
import { withoutFallback } from '../../model/catalog/prices.ts';
import type { ModelInfo } from '../../protocol/model/model.ts';
import { DEFAULT_RECORDED } from '../../protocol/model/provider.ts';
import { contextTokens } from '../../protocol/model/usage.ts';
import { EMPTY_USAGE, type Usage } from '../../protocol/model/wire.ts';
import type { Ledger } from '../../protocol/ports.ts';
import {
  type Cost,
  countsByModel,
  listSpending,
  MAIN_AGENT,
  NO_COST,
  NO_COUNTS,
  type PriceSource,
  purposeOf,
  type SpendingCounts,
  type SpendingPurpose,
  type SpendingRow,
  type SpentTotals,
  subtractCounts,
  toSpendingCounts,
  totalUsd,
  withRow,
} from '../../protocol/session/spending.ts';
import type { ModelUsage } from '../../protocol/stream/result-message.ts';

interface LedgerPorts {
  infoOf(model: string): ModelInfo;
  /** USD, undefined when the model has no price. */
  costOf(usage: Usage, info: ModelInfo): number | undefined;
  /**
   * Called with each answer that is counted, as the row that it is added to a row of; answers inside another
   * one follow it, under its key.
   */
  onSpent?: ((row: SpendingRow, effectKey: string) => void) | undefined;
}

export interface UsageLedger {
  /**
   * As `Ledger.settle`, on behalf of an agent: its type, or `main`. `onCost` is called if the usage was not
   * counted before.
   */
  settle(spent: Parameters<Ledger['settle']>[0], agent?: string, onCost?: (cost: Cost) => void): number;
  totalCostUsd(): number;
  /** USD spent since this ledger was made: what was restored from a journal is not in it (F111). */
  spentUsd(): number;
  /** Every model, restored totals included. */
  modelUsage(): Readonly<Record<string, ModelUsage>>;
  /** Every row, restored ones included; their sums are `modelUsage` and `totalCostUsd`. */
  spending(): readonly SpendingRow[];
  /** The main loop of the current submission. */
  submissionUsage(): Usage;
  /** What every model used since the last call of this function, or since earlier totals were restored. */
  takeUsageSinceResult(): Readonly<Record<string, ModelUsage>>;
  startSubmission(): void;
  /** Another conversation begins: totals count from 0 again, what was spent counts on. */
  startConversation(): void;
  /** Answers that an earlier process got for this submission: part of its usage, and paid for already. */
  carryOn(usages: readonly Usage[]): void;
  /** Totals that an earlier process recorded for this session. */
  restore(totals: SpentTotals): void;
}

export function createUsageLedger(ports: LedgerPorts): UsageLedger {
  return new SessionLedger(ports);
}

class SessionLedger implements UsageLedger {
  readonly #ports: LedgerPorts;
  #rows: readonly SpendingRow[] = [];
  /** What was settled last, by effect key: what is settled again is so soon after the first time. */
  readonly #settled = new Map<string, number>();
  #spentUsd = 0;
  #submission: Usage = EMPTY_USAGE;
  #atLastResult: Readonly<Record<string, ModelUsage>> = {};

  constructor(ports: LedgerPorts) {
    this.#ports = ports;
  }

  settle(spent: Parameters<Ledger['settle']>[0], agent = MAIN_AGENT, onCost?: (cost: Cost) => void): number {
    const { model, effectKey, usage, wasted, main, querySource } = spent;
    const known = this.#settled.get(effectKey);
    if (known !== undefined) return known;
    const purpose = wasted === true ? 'retry_waste' : purposeOf(querySource);
    let cost = NO_COST;
    for (const answer of answersIn(usage, model)) {
      const inside = answer.isInside && wasted !== true;
      cost = addCost(cost, this.#count(answer, { agent, effectKey, purpose: inside ? 'advisor' : purpose }));
    }
    this.#settled.set(effectKey, cost.costUsd);
    if (this.#settled.size > MOST_KEYS) this.#settled.delete(this.#settled.keys().next().value as string);
    this.#spentUsd += cost.costUsd;
    onCost?.(cost);
    if (main) this.#submission = addUsage(this.#submission, withoutInner(usage));
    return cost.costUsd;
  }

  totalCostUsd(): number {
    return totalUsd(this.#rows);
  }

  spentUsd(): number {
    return this.#spentUsd;
  }

  spending(): readonly SpendingRow[] {
    return this.#rows;
  }

  modelUsage(): Readonly<Record<string, ModelUsage>> {
    const models = Object.entries(countsByModel(this.#rows));
    return Object.fromEntries(models.map(([model, counts]) => [model, extended(counts, this.#facts(model))]));
  }

  takeUsageSinceResult(): Readonly<Record<string, ModelUsage>> {
    const before = this.#atLastResult;
    const now = this.modelUsage();
    this.#atLastResult = now;
    return usageSince(before, now);
  }

  startConversation(): void {
    this.#rows = [];
    this.#atLastResult = {};
  }

  submissionUsage(): Usage {
    return this.#submission;
  }

  startSubmission(): void {
    // Keys begin with their submission, so what was settled before cannot come again.
    this.#submission = EMPTY_USAGE;
    this.#settled.clear();
  }

  carryOn(usages: readonly Usage[]): void {
    for (const usage of usages) this.#submission = addUsage(this.#submission, withoutInner(usage));
  }

  restore(totals: SpentTotals): void {
    for (const row of listSpending(totals)) this.#rows = withRow(this.#rows, row);
    this.#atLastResult = this.modelUsage();
  }

  #count({ model, usage }: Answer, { agent, effectKey, purpose }: Spender): Cost {
    const info = this.#ports.infoOf(model);
    const cost = this.#ports.costOf(usage, info);
    const isPriced = cost !== undefined && info.price?.isAssumed !== true;
    const row = {
      model,
      provider: info.provider ?? DEFAULT_RECORDED,
      agent,
      purpose,
      calls: 1,
      ...toSpendingCounts(usage, cost ?? 0),
      isPriced,
      ...(info.price !== undefined && { price: priceSource(info) }),
    };
    this.#rows = withRow(this.#rows, row);
    this.#ports.onSpent?.(row, effectKey);
    return { costUsd: cost ?? 0, isPriced };
  }

  #facts(model: string): Omit<ModelUsage, keyof SpendingCounts> {
    const { contextWindow, maxOutputTokens } = this.#ports.infoOf(model);
    const rows = this.#rows.filter((row) => row.model === model);
    return {
      contextWindow,
      maxOutputTokens,
      canonicalModel: canonicalModel(model),
      provider: rows.find(({ provider }) => provider !== 'unknown')?.provider ?? 'unknown',
      costBasis: rows.every(({ isPriced }) => isPriced) ? 'list' : 'unknown',
    };
  }
}

function priceSource({ price, source }: ModelInfo): PriceSource {
  return { source, ...(price?.asOf !== undefined && { asOf: price.asOf }) };
}

export function addCost(one: Cost, other: Cost): Cost {
  return { costUsd: one.costUsd + other.costUsd, isPriced: one.isPriced && other.isPriced };
}

/** More than all agents of a session can have open at once. */
const MOST_KEYS = 512;

interface Spender {
  readonly agent: string;
  readonly effectKey: string;
  readonly purpose: SpendingPurpose;
}

interface Answer {
  readonly model: string;
  readonly usage: Usage;
  /** It is part of the answer of another model. */
  readonly isInside: boolean;
}

/** The answer itself, and the answers of other models inside it, however deep. */
function answersIn(usage: Usage, model: string, isInside = false): Answer[] {
  const own = withoutFallback(usage);
  const answers: Answer[] = [];
  for (const inner of usage.iterations ?? []) {
    // `message` entries are parts of the answer itself, which its totals already count.
    if (inner.model === undefined || inner.type === 'message') continue;
    const isFallback = inner.type === 'fallback_message';
    answers.push(...answersIn({ ...EMPTY_USAGE, ...inner }, inner.model, isInside || !isFallback));
  }
  // Where another model answered in its place, the asked one may have used nothing.
  if (own !== usage && contextTokens(own) === 0 && answers.length > 0) return answers;
  return [{ model, usage: withoutInner(own), isInside }, ...answers];
}

function withoutInner(usage: Usage): Usage {
  if (usage.iterations === undefined) return usage;
  const { iterations: _, ...own } = usage;
  return own;
}

function usageSince(
  before: Readonly<Record<string, ModelUsage>>,
  now: Readonly<Record<string, ModelUsage>>,
): Readonly<Record<string, ModelUsage>> {
  const since: Record<string, ModelUsage> = {};
  for (const [model, usage] of Object.entries(now)) {
    const counts = subtractCounts(usage, before[model] ?? NO_COUNTS);
    if (before[model] === undefined || Object.values(counts).some((count) => count !== 0))
      since[model] = { ...usage, ...counts };
  }
  return since;
}
