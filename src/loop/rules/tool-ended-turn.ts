import { type Rule, stop } from '../decision.ts';
import { attachmentMessage } from '../say.ts';

/** A tool said that its result is the end of the work (StructuredOutput, `_meta['claude/endTurn']`). */
export const toolEndedTurn: Rule = {
  name: 'tool_ended_turn',
  applies: (facts) => facts.endsTurn,
  async *run(_facts, state, iteration) {
    const { deps } = iteration;
    const { accepted, value } = deps.guard.structuredOutput();
    if (accepted) yield* iteration.say(attachmentMessage(deps, { type: 'structured_output', value }));
    return stop(state, 'completed');
  },
};
