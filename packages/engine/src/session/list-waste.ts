/** What could have been saved, in words: `turnwright cost` and the inspector's page say these. */
import type { SessionCost, SpendingWaste } from '../protocol/session/spending.ts';

const WORDS: Readonly<Record<keyof SpendingWaste, string>> = {
  retriesUsd: 'was paid for answers that broke and were asked for again.',
  discardedUsd:
    'was paid for answers that reached their length limit and were asked for again with a higher one.',
  cacheBrokenUsd: 'was paid because the prompt cache was broken.',
  interruptedUsd: 'was paid for answers of turns that were interrupted.',
};

/** Without what cost nothing. */
export function listWaste(waste: SpendingWaste): SessionCost['wasted'] {
  const kinds = Object.keys(WORDS) as (keyof SpendingWaste)[];
  return kinds.flatMap((kind) => (waste[kind] > 0 ? [{ usd: waste[kind], what: WORDS[kind] }] : []));
}
