/**
 * The money of an eval, which all of its runs share: what an attempt at a model call may cost is on the
 * disk before it is sent. What a killed process had reserved stays counted in full: what was billed is not
 * known.
 */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { EmptyPurse, Purse, TakenMoney } from '@turnwright/engine/protocol/model/purse.ts';
import type { ResultsWriter } from './results-file.ts';

export interface EvalPurse {
  /** For one run. `onEmpty`: called when there was not enough for a call of it. */
  forRun(sessionId: string, onEmpty: () => void): Purse;
  readonly maxUsd: number;
  /** Paid and not known to be unpaid, in USD. */
  readonly spentUsd: number;
}

interface Waiting {
  readonly sessionId: string;
  readonly need: { readonly mostUsd: number; readonly leastUsd: number };
  end(answer: Promise<TakenMoney | EmptyPurse>): void;
}

/** `spentUsd`: what counts of earlier processes. */
export function openEvalPurse(
  maxUsd: number,
  spentUsd: number,
  { append }: Pick<ResultsWriter, 'append'>,
): EvalPurse {
  let spent = spentUsd;
  let held = 0;
  /** In the order in which they asked. */
  const waiting: Waiting[] = [];

  const serve = (): void => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const { mostUsd, leastUsd } = first.need;
      const free = maxUsd - spent;
      if (leastUsd <= free && mostUsd > free - held && held > 0) return;
      waiting.shift();
      first.end(
        leastUsd > free ? Promise.resolve(empty(leastUsd, free)) : take(first, Math.min(mostUsd, free)),
      );
    }
  };

  const empty = (usd: number, free: number): EmptyPurse => ({
    kind: 'empty',
    why: `This call may cost up to $${usd.toFixed(4)}; $${Math.max(0, free).toFixed(4)} of the $${maxUsd} of the eval is left.`,
  });

  const take = async ({ sessionId }: Waiting, usd: number): Promise<TakenMoney> => {
    held += usd;
    const id = uuid();
    const settle = (billed: number) => {
      held -= usd;
      spent += billed;
      serve();
    };
    try {
      await append({ kind: 'reserved', id, sessionId, usd });
    } catch (error) {
      settle(0);
      throw error;
    }
    let isOpen = true;
    return {
      kind: 'taken',
      usd,
      settle(billed) {
        if (!isOpen) return;
        isOpen = false;
        settle(billed);
        // Where it cannot be written the reservation stays counted in full.
        append({ kind: 'settled', id, usd: billed }, { synced: false }).catch(() => undefined);
      },
    };
  };

  return {
    maxUsd,
    forRun: (sessionId, onEmpty) => ({
      async take(need, signal) {
        signal.throwIfAborted();
        const answer = await new Promise<TakenMoney | EmptyPurse>((resolve, reject) => {
          const onAbort = () => {
            const at = waiting.indexOf(one);
            if (at >= 0) waiting.splice(at, 1);
            reject(signal.reason);
            serve();
          };
          const one: Waiting = {
            sessionId,
            need,
            end(given) {
              signal.removeEventListener('abort', onAbort);
              given.then(resolve, reject);
            },
          };
          waiting.push(one);
          signal.addEventListener('abort', onAbort, { once: true });
          serve();
        });
        if (answer.kind === 'empty') onEmpty();
        return answer;
      },
    }),
    get spentUsd() {
      return spent;
    },
  };
}
