/** What a conversation may spend: money, counted for the whole session, and the tokens of its task. */

import { afterCompactions } from '../../loop/task-budget.ts';
import type { CompactMetadata } from '../../protocol/model/messages.ts';
import { contextTokens } from '../../protocol/model/usage.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { Ledger } from '../../protocol/ports.ts';
import { type Cost, NO_COST } from '../../protocol/session/spending.ts';
import type { ResumedSession } from '../../session/resume/resume.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { BudgetGuard } from './budget-guard.ts';
import { type CapUse, type CapWarnings, createCapWarnings } from './limit-warnings.ts';
import type { RunCosts } from './run-costs.ts';
import { addCost, type UsageLedger } from './usage-ledger.ts';

type Limits = Pick<QueryEngineConfig, 'maxBudgetUsd' | 'maxTurns' | 'taskBudget'>;

interface Shared {
  readonly agent?: string | undefined;
  readonly guard?: BudgetGuard | undefined;
  readonly runs?: RunCosts | undefined;
  readonly warnings?: CapWarnings;
}

export class SessionBudget {
  /** What the whole session has spent. */
  readonly ledger: UsageLedger;
  /** Of a strict budget. */
  readonly guard: BudgetGuard | undefined;
  /** What submissions of the session cost, each by itself; undefined: it is not followed. */
  readonly runs: RunCosts | undefined;
  /** The ledger, as this conversation or agent pays with it. */
  readonly account: Ledger;
  #ownCost = NO_COST;
  readonly #limits: Limits;
  readonly #warnings: CapWarnings;
  #unaffordable: string | undefined;
  #taskRemaining: number | undefined;

  /** `agent`: the type of the agent that spends; default the main agent. */
  constructor(
    limits: Limits,
    ledger: UsageLedger,
    { agent, guard, runs, warnings = createCapWarnings() }: Shared = {},
  ) {
    this.#limits = limits;
    this.ledger = ledger;
    this.guard = guard;
    this.runs = runs;
    this.account = {
      settle: (spent) =>
        ledger.settle(spent, agent, (cost) => {
          this.#ownCost = addCost(this.#ownCost, cost);
        }),
      totalCostUsd: () => ledger.totalCostUsd(),
    };
    this.#warnings = warnings;
  }

  /**
   * For an agent, or the conversation after this one: what was spent counts on, the task's tokens are counted
   * anew.
   */
  share(limits: Limits, agent?: string): SessionBudget {
    return new SessionBudget(limits, this.ledger, {
      agent,
      guard: this.guard,
      runs: this.runs,
      warnings: this.#warnings,
    });
  }

  /** What this conversation or agent has paid for itself since this object was made. */
  get ownCost(): Cost {
    return this.#ownCost;
  }

  /** No more may be spent. */
  get isSpent(): boolean {
    const { maxBudgetUsd } = this.#limits;
    return maxBudgetUsd !== undefined && this.ledger.spentUsd() >= maxBudgetUsd;
  }

  /** Why a strict budget did not let this conversation ask again, in this submission. */
  get unaffordable(): string | undefined {
    return this.#unaffordable;
  }

  /** What is left of `taskBudget`, in tokens; undefined: all of it. */
  get taskRemaining(): number | undefined {
    return this.#taskRemaining;
  }

  /**
   * What earlier processes of the session have spent. `compactedTokens`: removed from the view by
   * compactions.
   */
  restore({ totals, compactedTokens }: Pick<ResumedSession, 'totals' | 'compactedTokens'>): void {
    this.ledger.restore(totals);
    this.compacted({ pre_tokens: compactedTokens });
  }

  startSubmission(): void {
    this.#unaffordable = undefined;
    this.#warnings.startSubmission();
    this.ledger.startSubmission();
  }

  /** The worst case of a request would have crossed the budget, so it was not made. */
  refuse(reason: string): void {
    this.#unaffordable = reason;
  }

  /** A compaction lowers the task's budget. */
  compacted(boundary: Pick<CompactMetadata, 'pre_tokens'>): void {
    this.#taskRemaining = afterCompactions(this.#taskRemaining ?? this.#limits.taskBudget?.total, [boundary]);
  }

  /**
   * A sentence for each limit that is nearly reached, once. `turns`: of the running submission; `usage`: of
   * the last answer.
   */
  warnings(turns: number, usage: Usage | undefined): readonly string[] {
    return this.#warnings.take(this.#use(turns, usage));
  }

  #use(turns: number, usage: Usage | undefined): CapUse {
    const { maxTurns, maxBudgetUsd, taskBudget } = this.#limits;
    return {
      turns: maxTurns === undefined ? undefined : { used: turns, cap: maxTurns },
      money: maxBudgetUsd === undefined ? undefined : { used: this.ledger.spentUsd(), cap: maxBudgetUsd },
      tokens: taskBudget && { used: this.#taskTokens(taskBudget.total, usage), cap: taskBudget.total },
    };
  }

  /** What compactions took off the task's budget, and what the context has come to since. */
  #taskTokens(total: number, usage: Usage | undefined): number {
    return total - (this.#taskRemaining ?? total) + (usage === undefined ? 0 : contextTokens(usage));
  }
}
