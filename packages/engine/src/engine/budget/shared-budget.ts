/** Attempts are paid from a purse that other sessions share: the worst case is taken before one is sent. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Life } from '../../protocol/life.ts';
import type { Purse } from '../../protocol/model/purse.ts';
import type { Reservation, SpendGuard, SpendNeed, SpendRefusal } from '../../protocol/model/spend-guard.ts';
import { CallPrices, refuseSpending } from './call-prices.ts';
import type { CacheUse } from './worst-case.ts';

export class SharedBudget implements SpendGuard {
  readonly #purse: Purse;
  readonly #prices: CallPrices;

  constructor(purse: Purse, cacheUse: CacheUse) {
    this.#purse = purse;
    this.#prices = new CallPrices(cacheUse);
  }

  async reserve(need: SpendNeed, { signal }: Pick<Life, 'signal'>): Promise<Reservation | SpendRefusal> {
    const price = this.#prices.of(need);
    if (price.kind !== 'price') return price;
    try {
      const taken = await this.#purse.take({ mostUsd: price.full, leastUsd: price.least }, signal);
      if (taken.kind === 'empty') {
        const { why, wakeAt } = taken;
        return wakeAt === undefined ? refuseSpending(why) : { kind: 'later', why, wakeAt };
      }
      const { usd } = taken;
      const maxTokens = price.affordable(usd);
      return {
        kind: 'reserved',
        maxTokens,
        settle: (end) => {
          const { paid, unsure } = this.#prices.billed(need, end, { usd, maxTokens });
          taken.settle(paid + unsure);
        },
      };
    } catch (error) {
      // Without an answer nothing is spent.
      return signal.aborted
        ? { kind: 'aborted' }
        : refuseSpending(`Its money cannot be reserved: ${errorText(error)}`);
    }
  }
}
