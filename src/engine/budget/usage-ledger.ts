/**
 * Money (L9): every model call of a session passes here. Usage counts once per effect key; what was thrown away
 * is billed and flagged; answers inside an answer (advisors) count under their own model.
 */

import { canonicalModel } from '../../model/catalog/model-info.ts';
import { addUsage } from '../../model/catalog/usage.ts';
import type { ModelInfo } from '../../protocol/model/model.ts';
import { EMPTY_USAGE, type Usage } from '../../protocol/model/wire.ts';
import type { Ledger } from '../../protocol/ports.ts';
import type { ModelUsage } from '../../protocol/stream/result-message.ts';

interface LedgerOptions {
  infoOf(model: string): ModelInfo;
  /** USD, undefined when the model has no price. */
  costOf(usage: Usage, info: ModelInfo): number | undefined;
  /** USD that may be spent from now on. */
  readonly maxBudgetUsd?: number | undefined;
  /** Refuse a call whose worst case would cross the budget. */
  readonly strictBudget?: boolean | undefined;
}

export interface UsageLedger extends Ledger {
  /** Lets go of what `reserve` held for a call that is over. */
  release(effectKey: string): void;
  /** USD spent since this ledger was made: what was restored from a journal is not in it (F111). */
  spentUsd(): number;
  /** Of that, USD paid for answers that were thrown away (F110). */
  wastedUsd(): number;
  /** Every model, restored totals included. */
  modelUsage(): Readonly<Record<string, ModelUsage>>;
  /** The main loop of the current submission. */
  submissionUsage(): Usage;
  /** What every model used since this was asked last, or since the totals of an earlier life were restored. */
  takeUsageSinceResult(): Readonly<Record<string, ModelUsage>>;
  startSubmission(): void;
  /** Another conversation begins: totals count from 0 again, what was spent counts on. */
  startConversation(): void;
  /** Answers of an earlier life of this submission: in its usage, and paid for already. */
  carryOn(usages: readonly Usage[]): void;
  /** Totals of an earlier life of the session. */
  restore(totals: {
    readonly totalCostUsd: number;
    readonly modelUsage: Readonly<Record<string, unknown>>;
  }): void;
}

export function createUsageLedger(options: LedgerOptions): UsageLedger {
  return new SessionLedger(options);
}

class SessionLedger implements UsageLedger {
  readonly #options: LedgerOptions;
  readonly #models = new Map<string, ModelUsage>();
  readonly #settled = new Map<string, number>();
  /** Only under a strict budget. */
  #reserved: Map<string, number> | undefined;
  #restoredUsd = 0;
  #spentUsd = 0;
  #wastedUsd = 0;
  #submission: Usage = EMPTY_USAGE;
  /** Of what was spent, what belongs to earlier conversations. */
  #earlierUsd = 0;
  #atLastResult: ReadonlyMap<string, ModelUsage> | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  reserve({ model, effectKey, inputTokens, maxTokens }: Parameters<Ledger['reserve']>[0]) {
    const { costOf, infoOf, maxBudgetUsd, strictBudget } = this.#options;
    if (strictBudget !== true || maxBudgetUsd === undefined) return { ok: true } as const;
    const worst = costOf(worstCase(inputTokens, maxTokens), infoOf(model));
    if (worst === undefined)
      return { ok: false, reason: `${model} has no known price, so its cost cannot be bounded.` } as const;
    this.#reserved ??= new Map();
    let held = 0;
    for (const [key, amount] of this.#reserved) if (key !== effectKey) held += amount;
    const left = maxBudgetUsd - this.#spentUsd - held;
    if (worst > left) {
      return {
        ok: false,
        reason: `This call may cost up to $${worst.toFixed(4)}; $${Math.max(0, left).toFixed(4)} of the $${maxBudgetUsd} budget is left.`,
      } as const;
    }
    this.#reserved.set(effectKey, worst);
    return { ok: true } as const;
  }

  settle({ model, effectKey, usage, wasted, main }: Parameters<Ledger['settle']>[0]): number {
    this.#reserved?.delete(effectKey);
    const known = this.#settled.get(effectKey);
    if (known !== undefined) return known;
    let cost = 0;
    for (const part of answersIn(usage, model)) cost += this.#count(part.model, part.usage);
    this.#settled.set(effectKey, cost);
    this.#spentUsd += cost;
    if (wasted === true) this.#wastedUsd += cost;
    if (main) this.#submission = addUsage(this.#submission, withoutInner(usage));
    return cost;
  }

  release(effectKey: string): void {
    this.#reserved?.delete(effectKey);
  }

  totalCostUsd(): number {
    return withoutNoise(this.#restoredUsd + this.#spentUsd - this.#earlierUsd);
  }

  spentUsd(): number {
    return this.#spentUsd;
  }

  wastedUsd(): number {
    return this.#wastedUsd;
  }

  modelUsage(): Readonly<Record<string, ModelUsage>> {
    return Object.fromEntries(this.#models);
  }

  takeUsageSinceResult(): Readonly<Record<string, ModelUsage>> {
    const before = this.#atLastResult;
    this.#atLastResult = new Map(this.#models);
    return usageSince(before, this.#models);
  }

  startConversation(): void {
    this.#restoredUsd = 0;
    this.#earlierUsd = this.#spentUsd;
    this.#models.clear();
    this.#atLastResult = undefined;
  }

  submissionUsage(): Usage {
    return this.#submission;
  }

  startSubmission(): void {
    // Keys begin with their submission, so what was settled before cannot come again. Reservations stay: an agent
    // in the background may be in the middle of a call.
    this.#submission = EMPTY_USAGE;
    this.#settled.clear();
  }

  carryOn(usages: readonly Usage[]): void {
    for (const usage of usages) this.#submission = addUsage(this.#submission, withoutInner(usage));
  }

  restore(totals: Parameters<UsageLedger['restore']>[0]): void {
    this.#restoredUsd += totals.totalCostUsd;
    for (const [model, value] of Object.entries(totals.modelUsage)) {
      if (typeof value !== 'object' || value === null) continue;
      const empty = emptyModelUsage(model, this.#options.infoOf(model));
      this.#models.set(model, { ...empty, ...(value as Partial<ModelUsage>) });
    }
    this.#atLastResult = new Map(this.#models);
  }

  #count(model: string, usage: Usage): number {
    const info = this.#options.infoOf(model);
    const cost = this.#options.costOf(usage, info);
    this.#models.set(model, addToModel(model, this.#models.get(model), usage, info, cost));
    return cost ?? 0;
  }
}

interface Answer {
  readonly model: string;
  readonly usage: Usage;
}

/** The answer itself, and the answers of other models inside it, however deep. */
function answersIn(usage: Usage, model: string): Answer[] {
  const answers: Answer[] = [{ model, usage: withoutInner(usage) }];
  for (const inner of usage.iterations ?? []) {
    // `message` entries are parts of the answer itself, which its totals already count.
    if (inner.model === undefined || inner.type === 'message') continue;
    answers.push(...answersIn({ ...EMPTY_USAGE, ...inner }, inner.model));
  }
  return answers;
}

function withoutInner(usage: Usage): Usage {
  const { iterations: _, ...own } = usage;
  return own;
}

/** Nothing cached, everything written to the dearest cache, and the whole output used. */
function worstCase(inputTokens: number, maxTokens: number): Usage {
  return {
    ...EMPTY_USAGE,
    cache_creation_input_tokens: inputTokens,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: inputTokens },
    output_tokens: maxTokens,
  };
}

function emptyModelUsage(model: string, info: ModelInfo): ModelUsage {
  return {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    cacheCreationEphemeral5mInputTokens: 0,
    cacheCreationEphemeral1hInputTokens: 0,
    thinkingTokens: 0,
    webSearchRequests: 0,
    costUSD: 0,
    contextWindow: info.contextWindow,
    maxOutputTokens: info.maxOutputTokens,
    canonicalModel: canonicalModel(model),
    provider: 'firstParty',
    costBasis: info.price === undefined ? 'unknown' : 'list',
  };
}

function addToModel(
  model: string,
  before: ModelUsage | undefined,
  usage: Usage,
  info: ModelInfo,
  cost: number | undefined,
): ModelUsage {
  const sum = before ?? emptyModelUsage(model, info);
  const oneHour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const fiveMinutes =
    usage.cache_creation?.ephemeral_5m_input_tokens ?? usage.cache_creation_input_tokens - oneHour;
  return {
    inputTokens: sum.inputTokens + usage.input_tokens,
    outputTokens: sum.outputTokens + usage.output_tokens,
    cacheReadInputTokens: sum.cacheReadInputTokens + usage.cache_read_input_tokens,
    cacheCreationInputTokens: sum.cacheCreationInputTokens + usage.cache_creation_input_tokens,
    cacheCreationEphemeral5mInputTokens: sum.cacheCreationEphemeral5mInputTokens + fiveMinutes,
    cacheCreationEphemeral1hInputTokens: sum.cacheCreationEphemeral1hInputTokens + oneHour,
    thinkingTokens: sum.thinkingTokens + (usage.output_tokens_details?.thinking_tokens ?? 0),
    webSearchRequests: sum.webSearchRequests + (usage.server_tool_use?.web_search_requests ?? 0),
    costUSD: withoutNoise(sum.costUSD + (cost ?? 0)),
    contextWindow: info.contextWindow,
    maxOutputTokens: info.maxOutputTokens,
    canonicalModel: canonicalModel(model),
    provider: 'firstParty',
    costBasis: cost === undefined ? 'unknown' : sum.costBasis,
  };
}

const COUNTED = [
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'cacheCreationInputTokens',
  'cacheCreationEphemeral5mInputTokens',
  'cacheCreationEphemeral1hInputTokens',
  'thinkingTokens',
  'webSearchRequests',
  'costUSD',
] as const;

function usageSince(
  before: ReadonlyMap<string, ModelUsage> | undefined,
  now: ReadonlyMap<string, ModelUsage>,
): Readonly<Record<string, ModelUsage>> {
  const since: Record<string, ModelUsage> = {};
  for (const [model, usage] of now) {
    const earlier = before?.get(model);
    if (earlier === undefined) since[model] = usage;
    else if (earlier !== usage) {
      const counts = COUNTED.map((name) => [name, withoutNoise(usage[name] - earlier[name])] as const);
      since[model] = { ...usage, ...Object.fromEntries(counts) };
    }
  }
  return since;
}

/** Sums of dollars in binary end in noise (0.019777999999999997); no price is that fine. */
function withoutNoise(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}
