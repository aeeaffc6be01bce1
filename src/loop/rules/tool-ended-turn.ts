import { PASS, type Rule, stop } from '../decision.ts';

/** A tool said that its result is the end of the work (StructuredOutput, `_meta['claude/endTurn']`). */
export const toolEndedTurn: Rule = {
  name: 'tool_ended_turn',
  async *run(facts, state) {
    return facts.endsTurn ? stop(state, 'completed') : PASS;
  },
};
