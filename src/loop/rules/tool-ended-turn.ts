import { type Rule, stop } from '../decision.ts';

/** A tool said that its result is the end of the work (StructuredOutput, `_meta['claude/endTurn']`). */
export const toolEndedTurn: Rule = {
  name: 'tool_ended_turn',
  applies: (facts) => facts.endsTurn,
  async *run(_facts, state) {
    return stop(state, 'completed');
  },
};
