import { stop } from '../decision.ts';
import { attachmentMessage } from '../loop-messages.ts';
import type { Rule } from '../rule.ts';

/** A tool declared its result to be the end of the work (StructuredOutput, `_meta['claude/endTurn']`). */
export const toolEndedTurn: Rule = {
  name: 'tool_ended_turn',
  applies: (facts) => facts.endsTurn,
  async *run(_facts, output, iteration) {
    const { state } = output;
    const { deps } = iteration;
    const { accepted, value } = deps.guard.structuredOutput();
    if (accepted) yield* iteration.emit(attachmentMessage(deps, { type: 'structured_output', value }));
    return stop(state, 'completed');
  },
};
