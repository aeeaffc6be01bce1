import { PASS, type Rule, stop } from '../decision.ts';
import { attachmentMessage } from '../say.ts';

/** `maxTurns` counts follow-ups to tool results: the one that would exceed it is not made. */
export const turnLimit: Rule = {
  name: 'turn_limit',
  async *run(facts, state, iteration) {
    const { maxTurns } = iteration.params;
    const turnCount = state.turnCount + 1;
    if (maxTurns === undefined || facts.calls.length === 0 || turnCount <= maxTurns) return PASS;
    yield* iteration.say(
      attachmentMessage(iteration.deps, { type: 'max_turns_reached', maxTurns, turnCount }),
    );
    return stop(state, 'max_turns', { turnCount });
  },
};
