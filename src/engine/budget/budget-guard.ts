import type { SpendGuard } from '../../protocol/model/spend-guard.ts';
import { lazily } from '../../util/async/lazily.ts';
import type { QueryEngineConfig } from '../config.ts';

export interface BudgetGuard extends SpendGuard {
  /** USD that earlier processes have spent of this budget. */
  carryOn(usd: number): void;
}

/** The guard of a strict budget, which is loaded by the first call; undefined: the budget is none. */
export function budgetGuard(config: QueryEngineConfig): BudgetGuard | undefined {
  const { maxBudgetUsd, strictBudget } = config;
  if (strictBudget !== true || maxBudgetUsd === undefined) return undefined;
  const budget = lazily(async () => {
    const { StrictBudget } = await import('./strict-budget.ts');
    return new StrictBudget(maxBudgetUsd, config);
  });
  return {
    reserve: async (need, life) => (await budget()).reserve(need, life),
    carryOn: (usd) => void budget().then((strict) => strict.carryOn(usd)),
  };
}
