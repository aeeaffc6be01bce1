import { stop } from '../decision.ts';
import { attachmentMessage } from '../loop-messages.ts';
import type { Rule } from '../rule.ts';

/** `maxTurns` counts follow-ups to tool results: the one that would exceed it is not made. */
export const turnLimit: Rule = {
  name: 'turn_limit',
  applies: (facts, { state }, { params: { maxTurns } }) =>
    maxTurns !== undefined && facts.calls.length > 0 && state.turnCount + 1 > maxTurns,
  async run(_facts, output, iteration) {
    const { state } = output;
    const { maxTurns = 0 } = iteration.params;
    const turnCount = state.turnCount + 1;
    await iteration.emit(
      attachmentMessage(iteration.deps, { type: 'max_turns_reached', maxTurns, turnCount }),
    );
    return stop(state, 'max_turns', { turnCount });
  },
};
