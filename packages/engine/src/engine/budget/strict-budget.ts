/**
 * With `strictBudget`, an attempt is sent only if the budget can pay its worst case beside those of all other
 * attempts in flight, of every agent and helper (L9). What an attempt may have cost without saying so stays
 * counted.
 */
import type { Life } from '../../protocol/life.ts';
import type { Reservation, SpendGuard, SpendNeed, SpendRefusal } from '../../protocol/model/spend-guard.ts';
import { CallPrices, refuseSpending } from './call-prices.ts';
import type { CacheUse } from './worst-case.ts';

type Verdict = Reservation | SpendRefusal;

interface Waiting {
  readonly need: SpendNeed;
  end(verdict: Verdict): void;
}

export class StrictBudget implements SpendGuard {
  readonly #maxUsd: number;
  readonly #prices: CallPrices;
  /** Paid, and what may have been billed beside that. */
  #paid = 0;
  #unsure = 0;
  readonly #held = new Set<{ readonly usd: number }>();
  /** In the order of their requests. */
  readonly #waiting: Waiting[] = [];

  constructor(maxUsd: number, cacheUse: CacheUse) {
    this.#maxUsd = maxUsd;
    this.#prices = new CallPrices(cacheUse);
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
    const price = this.#prices.of(need);
    if (price.kind !== 'price') return price;
    const { full, least, leastTokens } = price;
    let held = 0;
    for (const { usd } of this.#held) held += usd;
    const free = this.#maxUsd - this.#paid - this.#unsure;
    if (full <= free - held) return this.#hold(need, need.maxTokens, full);
    const cap = price.affordable(free);
    if (cap < leastTokens) return refuseSpending(this.#reason(least, free));
    if (held > 0) return 'later';
    return this.#hold(need, cap, price.atCap(cap));
  }

  #reason(usd: number, free: number): string {
    const left = `$${Math.max(0, free).toFixed(4)} of the $${this.#maxUsd} budget is left`;
    const unsure =
      this.#unsure > 0 ? `, as up to $${this.#unsure.toFixed(4)} was billed for calls that ended early` : '';
    return `This call may cost up to $${usd.toFixed(4)}; ${left}${unsure}.`;
  }

  #hold(need: SpendNeed, maxTokens: number, usd: number): Reservation {
    const hold = { usd };
    this.#held.add(hold);
    return {
      kind: 'reserved',
      maxTokens,
      settle: (end) => {
        if (!this.#held.delete(hold)) return;
        const { paid, unsure } = this.#prices.billed(need, end, { usd, maxTokens });
        this.#paid += paid;
        this.#unsure += unsure;
        this.#serve();
      },
    };
  }
}
