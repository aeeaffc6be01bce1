import { stop } from '../decision.ts';
import { lastText } from '../loop-messages.ts';
import type { Rule } from '../rule.ts';

/**
 * The model refused to answer. A refusal is the end, and a success: no Stop hook is asked about it, and no
 * request follows its calls. StopFailure hooks run, without being waited for.
 */
export const refused: Rule = {
  name: 'refused',
  applies: ({ failure, stopReason }) => stopReason === 'refusal' && failure === undefined,
  async run(facts, output, { deps }) {
    void deps.hooks.run({
      event: 'StopFailure',
      error: 'invalid_request',
      error_details: 'The model refused to answer.',
      last_assistant_message: lastText(facts.messages),
    });
    return stop(output.state, 'completed');
  },
};
