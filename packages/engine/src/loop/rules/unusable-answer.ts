import { goOn, stop } from '../decision.ts';
import { MAX_EMPTY_NUDGES, MAX_MALFORMED_NUDGES } from '../limits.ts';
import {
  errorMessage,
  loopUserMessage,
  NUDGE_EMPTY,
  NUDGE_TOOL_USE_WITHOUT_BLOCK,
} from '../loop-messages.ts';
import { PASS, type Rule } from '../rule.ts';
import { unusableAnswerRetry } from '../transitions.ts';
import { turnOutput } from '../turn-output.ts';

/** A response with neither text nor a tool call. A refusal and a pause are usable. */
export const unusableAnswer: Rule = {
  name: 'unusable_answer',
  applies: ({ stopReason, answer }) =>
    stopReason === 'tool_use' ||
    (answer !== 'text' && stopReason !== 'refusal' && stopReason !== 'pause_turn'),
  async run(facts, output, iteration) {
    const { state } = output;
    const announcedCall = facts.stopReason === 'tool_use';
    const nudges = state.recovery.unusableCount;
    if (nudges < (announcedCall ? MAX_MALFORMED_NUDGES : MAX_EMPTY_NUDGES)) {
      if (announcedCall) await iteration.retract(facts.messages, 'unusable');
      const kept = announcedCall ? [] : facts.messages;
      const nudge = await iteration.emit(
        loopUserMessage(iteration.deps, announcedCall ? NUDGE_TOOL_USE_WITHOUT_BLOCK : NUDGE_EMPTY, 'nudge'),
      );
      return goOn(unusableAnswerRetry(state, turnOutput(output, iteration, [nudge], kept)));
    }
    if (!announcedCall) return PASS; // a second empty answer counts as an empty success
    await iteration.emit(
      errorMessage(
        iteration.deps,
        `The model announced a tool call without making one, ${nudges + 1} times in a row.`,
        'server_error',
      ),
    );
    return stop(state, 'malformed_tool_use_exhausted');
  },
};
