/**
 * With `strictBudget`, an attempt is sent only if the budget can pay its worst case beside those of all other
 * attempts in flight, of every agent and helper (L9). What an attempt may have cost without saying so stays
 * counted.
 */
import { costOf } from '../../model/catalog/prices.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type {
  AttemptCost,
  Reservation,
  SpendGuard,
  SpendNeed,
  SpendRefusal,
} from '../../protocol/model/spend-guard.ts';
import { promptTokens } from '../../protocol/model/usage.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import { type CacheUse, isConversation, PromptBounds, searchesOf, worstCost } from './worst-case.ts';

/** An answer needs this much, beside the budget of its thinking. */
const LEAST_OUTPUT_TOKENS = 3_000;
/** Fields of a request under which other prices hold. */
const REPRICING = ['speed', 'service_tier'];
/** USD: sums of fractions are this exact. */
const ROUNDING = 1e-9;

type Verdict = Reservation | SpendRefusal;

interface Waiting {
  readonly need: SpendNeed;
  end(verdict: Verdict): void;
}

export class StrictBudget implements SpendGuard {
  readonly #maxUsd: number;
  readonly #cacheUse: CacheUse;
  readonly #bounds = new PromptBounds();
  /** Paid, and what may have been billed beside that. */
  #paid = 0;
  #unsure = 0;
  readonly #held = new Set<{ readonly usd: number }>();
  /** In the order of their requests. */
  readonly #waiting: Waiting[] = [];

  constructor(maxUsd: number, cacheUse: CacheUse) {
    this.#maxUsd = maxUsd;
    this.#cacheUse = cacheUse;
  }

  /** USD that earlier processes have spent of this budget. */
  carryOn(usd: number): void {
    this.#paid += usd;
  }

  reserve(need: SpendNeed, { signal }: Pick<Life, 'signal'>): Promise<Verdict> {
    if (signal.aborted) return Promise.resolve({ kind: 'aborted' });
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve({ kind: 'aborted' });
        this.#serve();
      };
      const waiting: Waiting = {
        need,
        end(verdict) {
          signal.removeEventListener('abort', onAbort);
          resolve(verdict);
        },
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#serve();
    });
  }

  #serve(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const verdict = this.#verdict(first.need);
      if (verdict === 'later') return;
      this.#waiting.shift();
      first.end(verdict);
    }
  }

  #verdict(need: SpendNeed): Verdict | 'later' {
    const { request, info, maxTokens } = need;
    const promptBound = this.#bounds.of(request, info);
    const worst = (output: number) =>
      worstCost(request, info, { promptBound, maxTokens: output }, this.#cacheUse);
    const repriced = REPRICING.find((field) => this.#cacheUse.extraBody?.[field] !== undefined);
    if (repriced !== undefined)
      return refused(`CLAUDE_CODE_EXTRA_BODY sets "${repriced}", so the price of a call is not known.`);
    const full = worst(maxTokens);
    const prompt = worst(0);
    if (full === undefined || prompt === undefined)
      return refused(`${request.model} has no known price, so its cost cannot be bounded.`);
    let held = 0;
    for (const { usd } of this.#held) held += usd;
    const free = this.#maxUsd - this.#paid - this.#unsure;
    if (full <= free - held) return this.#hold(need, maxTokens, full);
    const least = isConversation(request.querySource) ? leastOutput(request, maxTokens) : maxTokens;
    const perToken = (full - prompt) / maxTokens;
    const affordable = perToken === 0 ? 0 : Math.floor((free - prompt) / perToken - ROUNDING);
    if (affordable < least && full > free) return refused(this.#reason(prompt + perToken * least, free));
    if (held > 0) return 'later';
    const cap = Math.min(affordable, maxTokens);
    return this.#hold(need, cap, prompt + perToken * cap);
  }

  #reason(usd: number, free: number): string {
    const left = `$${Math.max(0, free).toFixed(4)} of the $${this.#maxUsd} budget is left`;
    const unsure =
      this.#unsure > 0 ? `, as up to $${this.#unsure.toFixed(4)} was billed for calls that ended early` : '';
    return `This call may cost up to $${usd.toFixed(4)}; ${left}${unsure}.`;
  }

  #hold({ request, info }: SpendNeed, maxTokens: number, usd: number): Reservation {
    const hold = { usd };
    this.#held.add(hold);
    return {
      kind: 'reserved',
      maxTokens,
      settle: (end) => {
        if (!this.#held.delete(hold)) return;
        const paid = end.kind === 'free' ? 0 : reportedCost(end, info);
        this.#paid += paid;
        if (end.kind !== 'free') this.#unsure += Math.max(0, mostBilled(end, hold.usd) - paid);
        if (end.kind === 'complete' && end.usage !== undefined) this.#bounds.learn(request, end.usage);
        this.#serve();
      },
    };

    /** What the attempt was billed at most. */
    function mostBilled({ kind, usage }: Exclude<AttemptCost, { kind: 'free' }>, worst: number): number {
      if (usage === undefined || usage.estimated === true || promptTokens(usage) === 0) return worst;
      if (kind === 'complete' && usage.output_tokens > 0) return 0;
      // Searches add input that is reported at the end.
      if (searchesOf(request) > 0) return worst;
      return costOf({ ...usage, output_tokens: maxTokens }, info) ?? worst;
    }
  }
}

const reportedCost = ({ usage }: { readonly usage: Usage | undefined }, info: SpendNeed['info']): number =>
  usage === undefined ? 0 : (costOf(usage, info) ?? 0);

function leastOutput({ thinking }: ModelRequest, maxTokens: number): number {
  const thought = thinking?.type === 'enabled' ? (thinking.budgetTokens ?? 0) : 0;
  return Math.min(maxTokens, LEAST_OUTPUT_TOKENS + thought);
}

const refused = (message: string): SpendRefusal => ({
  kind: 'refused',
  failure: { kind: 'budget', message },
});
