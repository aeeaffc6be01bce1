import { stop } from '../decision.ts';
import { attachmentMessage } from '../loop-messages.ts';
import { PASS, type Rule } from '../rule.ts';
import { tellStopped } from './run-stop-hooks.ts';

/** A PostToolUse hook returned `continue: false`, or a PostToolBatch hook blocked. */
export const hookStopped: Rule = {
  name: 'hook_stopped',
  applies: (facts) => facts.preventContinuation !== undefined,
  async run(facts, output, iteration) {
    const { state } = output;
    if (facts.preventContinuation === undefined) return PASS;
    const { stopReason, hookName } = facts.preventContinuation;
    await iteration.emit(
      attachmentMessage(iteration.deps, {
        type: 'hook_stopped_continuation',
        message: stopReason,
        ...(hookName === undefined ? {} : { hookName }),
      }),
    );
    await tellStopped(facts.preventContinuation, iteration);
    return stop(state, 'hook_stopped');
  },
};
