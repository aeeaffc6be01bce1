import { goOn } from '../decision.ts';
import { MAX_PAUSES } from '../limits.ts';
import { loopUserMessage, RESUME_AFTER_PAUSE, systemMessage } from '../loop-messages.ts';
import { PASS, type Rule } from '../rule.ts';
import { maxOutputTokensRecovery } from '../transitions.ts';
import { turnOutput } from '../turn-output.ts';

/**
 * The provider paused a long turn (`pause_turn`), or summarised what came before it (`compaction`): the
 * answer is sent back as it is, and goes on. Where nothing in it waits for the provider, a message asks for
 * the rest: an answer alone may not end a request.
 */
export const paused: Rule = {
  name: 'paused',
  applies: ({ stopReason }) => stopReason === 'pause_turn' || stopReason === 'compaction',
  async run(facts, output, iteration) {
    const { state } = output;
    const { deps } = iteration;
    if (state.recovery.pauses >= MAX_PAUSES) {
      const content = `The provider paused the answer ${MAX_PAUSES + 1} times, so it is left as it is: it may be unfinished.`;
      await iteration.emit(systemMessage(deps, { subtype: 'informational', level: 'warning', content }));
      return PASS;
    }
    const waits = facts.messages.some(({ message }) =>
      message.content.some(({ type }) => type === 'server_tool_use'),
    );
    const asked = waits ? [] : [await iteration.emit(loopUserMessage(deps, RESUME_AFTER_PAUSE, 'resume'))];
    return goOn(maxOutputTokensRecovery(state, { ...turnOutput(output, iteration, asked), paused: true }));
  },
};
