import { goOn, PASS, type Rule, stop } from '../decision.ts';
import { outcomeOf } from '../outcome.ts';
import { errorMessage, NUDGE_EMPTY, NUDGE_TOOL_USE_WITHOUT_BLOCK, userMessage } from '../say.ts';
import { unusableAnswerRetry } from '../transitions.ts';

const MAX_EMPTY_NUDGES = 1;
const MAX_MALFORMED_NUDGES = 2;

/** An answer that neither says nor asks anything. A refusal and a pause are answers. */
export const unusableAnswer: Rule = {
  name: 'unusable_answer',
  applies: ({ stopReason, answer }) =>
    stopReason === 'tool_use' ||
    (answer !== 'text' && stopReason !== 'refusal' && stopReason !== 'pause_turn'),
  async *run(facts, state, iteration) {
    const announcedCall = facts.stopReason === 'tool_use';
    const nudges = state.recovery.unusableCount;
    if (nudges < (announcedCall ? MAX_MALFORMED_NUDGES : MAX_EMPTY_NUDGES)) {
      if (announcedCall) {
        yield* iteration.takeBack(facts.messages, 'unusable');
        iteration.response.messages = [];
      }
      const nudge = yield* iteration.say(
        userMessage(iteration.deps, announcedCall ? NUDGE_TOOL_USE_WITHOUT_BLOCK : NUDGE_EMPTY, 'nudge'),
      );
      return goOn(unusableAnswerRetry(state, outcomeOf(iteration, [nudge])));
    }
    if (!announcedCall) return PASS; // a second empty answer is taken as an empty success
    yield* iteration.say(
      errorMessage(
        iteration.deps,
        `The model announced a tool call without making one, ${nudges + 1} times in a row.`,
        'server_error',
      ),
    );
    return stop(state, 'malformed_tool_use_exhausted');
  },
};
