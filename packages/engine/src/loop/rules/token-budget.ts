import { goOn } from '../decision.ts';
import { SMALL_GAINS_TO_STOP, TOKEN_BUDGET_ENOUGH, TOKEN_BUDGET_SMALL_GAIN } from '../limits.ts';
import { loopUserMessage, NUDGE_TOKEN_BUDGET } from '../loop-messages.ts';
import { PASS, type Rule } from '../rule.ts';
import { tokenBudgetContinuation } from '../transitions.ts';
import { turnOutput } from '../turn-output.ts';

/**
 * The caller wants the work to continue until a target of output tokens is nearly used up, unless
 * continuations produce little.
 */
export const tokenBudget: Rule = {
  name: 'token_budget',
  applies: (facts, _output, { params }) => params.tokenBudget !== undefined && facts.stopReason !== 'refusal',
  async run(facts, output, iteration) {
    const { state } = output;
    const target = iteration.params.tokenBudget?.target ?? 0;
    const { budgets } = state;
    const produced = budgets.outputTokens + facts.outputTokens;
    const gained = produced - budgets.outputTokensAtContinuation;
    const small = budgets.continuations > 0 && gained < target * TOKEN_BUDGET_SMALL_GAIN;
    const smallGains = small ? budgets.smallGains + 1 : 0;
    if (produced >= target * TOKEN_BUDGET_ENOUGH || smallGains >= SMALL_GAINS_TO_STOP) return PASS;
    const nudge = await iteration.emit(loopUserMessage(iteration.deps, NUDGE_TOKEN_BUDGET, 'nudge'));
    return goOn(tokenBudgetContinuation(state, { ...turnOutput(output, iteration, [nudge]), smallGains }));
  },
};
