import { failureText } from '../loop-messages.ts';
import { giveUp } from '../recovery/context-recovery.ts';
import { PASS, type Rule } from '../rule.ts';

/** The model call failed for good: retries, fallbacks and recoveries are behind it. */
export const apiError: Rule = {
  name: 'api_error',
  applies: (facts) => facts.failure !== undefined,
  async run(facts, output, iteration) {
    const { state } = output;
    if (facts.failure === undefined) return PASS;
    return giveUp(iteration, state, facts.failure, {
      text: failureText(facts.failure, state.model.current),
      reason: 'api_error',
    });
  },
};
