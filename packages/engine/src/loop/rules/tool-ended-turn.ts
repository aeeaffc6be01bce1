import { stop } from '../decision.ts';
import { attachmentMessage, systemMessage } from '../loop-messages.ts';
import type { Rule } from '../rule.ts';
import { askStopHooks, formatHookFeedback, tellStopped } from './run-stop-hooks.ts';

/**
 * A tool declared its result to be the end of the work (StructuredOutput, `_meta['claude/endTurn']`). Stop
 * hooks run once; what they say is shown, and does not undo the end.
 */
export const toolEndedTurn: Rule = {
  name: 'tool_ended_turn',
  applies: (facts) => facts.endsTurn,
  async run(facts, output, iteration) {
    const { state } = output;
    const { deps } = iteration;
    const { accepted, value } = deps.guard.structuredOutput();
    if (accepted) await iteration.emit(attachmentMessage(deps, { type: 'structured_output', value }));
    const { preventContinuation, blockingErrors, additionalContext } =
      (await askStopHooks(facts, state, iteration)) ?? NOTHING_SAID;
    if (preventContinuation !== undefined) await tellStopped(preventContinuation, iteration);
    const said = [...blockingErrors, ...additionalContext];
    if (said.length > 0) {
      const content = `${formatHookFeedback(said)}\nA tool had ended the turn; it ends all the same.`;
      await iteration.emit(systemMessage(deps, { subtype: 'informational', level: 'warning', content }));
    }
    return stop(state, 'completed');
  },
};

const NOTHING_SAID = { preventContinuation: undefined, blockingErrors: [], additionalContext: [] } as const;
