import { goOn, PASS, type Rule } from '../decision.ts';
import { outcomeOf } from '../outcome.ts';
import { NUDGE_TOKEN_BUDGET, userMessage } from '../say.ts';
import { tokenBudgetContinuation } from '../transitions.ts';

const ENOUGH = 0.95;
const SMALL_GAIN = 0.01;
const SMALL_GAINS_TO_STOP = 2;

/** The caller wants the work to go on until a target of output tokens is nearly spent, unless little comes of it. */
export const tokenBudget: Rule = {
  name: 'token_budget',
  applies: (facts, _state, { params }) => params.tokenBudget !== undefined && facts.stopReason !== 'refusal',
  async *run(facts, state, iteration) {
    const target = iteration.params.tokenBudget?.target ?? 0;
    const { budgets } = state;
    const produced = budgets.outputTokens + facts.outputTokens;
    const gained = produced - budgets.outputTokensAtContinuation;
    const small = budgets.continuations > 0 && gained < target * SMALL_GAIN;
    const smallGains = small ? budgets.smallGains + 1 : 0;
    if (produced >= target * ENOUGH || smallGains >= SMALL_GAINS_TO_STOP) return PASS;
    const nudge = yield* iteration.say(userMessage(iteration.deps, NUDGE_TOKEN_BUDGET, 'nudge'));
    return goOn(tokenBudgetContinuation(state, { ...outcomeOf(iteration, [nudge]), smallGains }));
  },
};
