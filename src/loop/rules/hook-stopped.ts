import { PASS, type Rule, stop } from '../decision.ts';
import { attachmentMessage } from '../say.ts';

/** A PostToolUse hook said `continue: false`. */
export const hookStopped: Rule = {
  name: 'hook_stopped',
  applies: (facts) => facts.preventContinuation !== undefined,
  async *run(facts, state, iteration) {
    if (facts.preventContinuation === undefined) return PASS;
    const { stopReason, hookName } = facts.preventContinuation;
    yield* iteration.say(
      attachmentMessage(iteration.deps, {
        type: 'hook_stopped_continuation',
        message: stopReason,
        ...(hookName === undefined ? {} : { hookName }),
      }),
    );
    return stop(state, 'hook_stopped');
  },
};
