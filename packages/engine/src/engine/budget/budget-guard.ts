import { lazily } from '@turnwright/base/collections/made-once.ts';
import type { SpendGuard } from '../../protocol/model/spend-guard.ts';
import type { Ids } from '../../protocol/ports.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { RunCosts } from './run-costs.ts';

export interface BudgetGuard extends SpendGuard {
  /** USD that earlier processes have spent of this budget. */
  carryOn(usd: number): void;
}

/**
 * The guard of a strict budget, of a purse that other sessions share, and of a cost that a person is asked
 * about, which is loaded by the first call; undefined: there is none of them.
 */
export function budgetGuard(
  config: QueryEngineConfig,
  { runs, ids }: { readonly runs: RunCosts; readonly ids: Ids },
): BudgetGuard | undefined {
  const { askAboveUsd, canUseTool, maxBudgetUsd, strictBudget, purse } = config;
  const isStrict = strictBudget === true && maxBudgetUsd !== undefined;
  if (!isStrict && purse === undefined && askAboveUsd === undefined) return undefined;
  const asking = lazily(async () => {
    if (askAboveUsd === undefined) return undefined;
    const { AskingBudget } = await import('./asking-budget.ts');
    return new AskingBudget(askAboveUsd, runs, { ids, canUseTool });
  });
  const own = lazily(async () => {
    if (!isStrict) return undefined;
    const { StrictBudget } = await import('./strict-budget.ts');
    return new StrictBudget(maxBudgetUsd, config);
  });
  const shared = lazily(async () => {
    if (purse === undefined) return undefined;
    const { SharedBudget } = await import('./shared-budget.ts');
    return new SharedBudget(purse, config);
  });
  return {
    async reserve(need, life) {
      const guards: SpendGuard[] = [await asking(), await own(), await shared()].filter(
        (guard) => guard !== undefined,
      );
      return reserveFrom(guards, need, life);
    },
    carryOn: (usd) => void own().then((strict) => strict?.carryOn(usd)),
  };
}

/** From each, in this order, with the cap that the one before can pay. */
async function reserveFrom(
  [guard, ...others]: readonly SpendGuard[],
  need: Parameters<SpendGuard['reserve']>[0],
  life: Parameters<SpendGuard['reserve']>[1],
): ReturnType<SpendGuard['reserve']> {
  if (guard === undefined) throw new Error('There is no budget.');
  const held = await guard.reserve(need, life);
  if (held.kind !== 'reserved' || others.length === 0) return held;
  const further = await reserveFrom(others, { ...need, maxTokens: held.maxTokens }, life);
  if (further.kind !== 'reserved') {
    held.settle({ kind: 'free' });
    return further;
  }
  return {
    ...further,
    settle(end) {
      held.settle(end);
      further.settle(end);
    },
  };
}
