/** What an attempt at a model call may cost, and what it was billed at most. */
import { computeCost } from '../../model/catalog/prices.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { AttemptCost, SpendNeed, SpendRefusal } from '../../protocol/model/spend-guard.ts';
import { promptTokens } from '../../protocol/model/usage.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import { type CacheUse, countSearches, isConversation, PromptBounds, worstCost } from './worst-case.ts';

/** An answer needs this much, beside the budget of its thinking. */
const LEAST_OUTPUT_TOKENS = 3_000;
/** Fields of a request under which other prices hold. */
const REPRICING = ['speed', 'service_tier'];
/** USD: sums of fractions are this exact. */
const ROUNDING = 1e-9;

/** USD of one attempt. */
interface Price {
  readonly kind: 'price';
  /** With the output cap that was asked for. */
  readonly full: number;
  /** With the least cap that is of use, in tokens. */
  readonly least: number;
  readonly leastTokens: number;
  /** The cap that so many USD pay for; what it costs then. */
  affordable(usd: number): number;
  atCap(maxTokens: number): number;
}

/** What the attempt was billed, as far as it says so, and what it may have been billed beside that. */
interface Billed {
  readonly paid: number;
  readonly unsure: number;
}

export class CallPrices {
  readonly #cacheUse: CacheUse;
  readonly #bounds = new PromptBounds();

  constructor(cacheUse: CacheUse) {
    this.#cacheUse = cacheUse;
  }

  of({ request, info, maxTokens }: SpendNeed): Price | SpendRefusal {
    const promptBound = this.#bounds.of(request, info);
    const worst = (output: number) =>
      worstCost(request, info, { promptBound, maxTokens: output }, this.#cacheUse);
    const repriced = REPRICING.find((field) => this.#cacheUse.extraBody?.[field] !== undefined);
    if (repriced !== undefined)
      return refuseSpending(
        `CLAUDE_CODE_EXTRA_BODY sets "${repriced}", so the price of a call is not known.`,
      );
    const full = worst(maxTokens);
    const prompt = worst(0);
    if (info.price?.isAssumed === true)
      return refuseSpending(
        `${request.model} has no listed price: that of its family is a guess, so its cost cannot be bounded. Give its price under models in the settings.`,
      );
    if (full === undefined || prompt === undefined)
      return refuseSpending(`${request.model} has no known price, so its cost cannot be bounded.`);
    const perToken = (full - prompt) / maxTokens;
    const atCap = (tokens: number) => prompt + perToken * tokens;
    const leastTokens = isConversation(request.querySource) ? leastOutput(request, maxTokens) : maxTokens;
    return {
      kind: 'price',
      full,
      least: atCap(leastTokens),
      leastTokens,
      affordable: (usd) => {
        if (usd >= full) return maxTokens;
        return perToken === 0 ? 0 : Math.min(maxTokens, Math.floor((usd - prompt) / perToken - ROUNDING));
      },
      atCap,
    };
  }

  /** `usd`: its worst case, with this output cap. */
  billed({ request, info }: SpendNeed, end: AttemptCost, { usd, maxTokens }: Reserved): Billed {
    if (end.kind === 'free') return { paid: 0, unsure: 0 };
    const { kind, usage } = end;
    if (kind === 'complete' && usage !== undefined) this.#bounds.learn(request, usage);
    const paid = usage === undefined ? 0 : (computeCost(usage, info) ?? 0);
    return { paid, unsure: Math.max(0, mostBilled() - paid) };

    function mostBilled(): number {
      if (usage === undefined || usage.estimated === true || promptTokens(usage) === 0) return usd;
      if (kind === 'complete' && usage.output_tokens > 0) return 0;
      // Searches add input that is reported at the end.
      if (countSearches(request) > 0) return usd;
      return computeCost({ ...usage, output_tokens: maxTokens } satisfies Usage, info) ?? usd;
    }
  }
}

interface Reserved {
  readonly usd: number;
  readonly maxTokens: number;
}

function leastOutput({ thinking }: ModelRequest, maxTokens: number): number {
  const thought = thinking?.type === 'enabled' ? (thinking.budgetTokens ?? 0) : 0;
  return Math.min(maxTokens, LEAST_OUTPUT_TOKENS + thought);
}

export const refuseSpending = (message: string): SpendRefusal => ({
  kind: 'refused',
  failure: { kind: 'budget', message },
});
