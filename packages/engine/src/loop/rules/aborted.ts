import { stop } from '../decision.ts';
import { INTERRUPTED, INTERRUPTED_FOR_TOOL_USE, loopUserMessage } from '../loop-messages.ts';
import type { Rule } from '../rule.ts';

/** Abort reasons without a note for the model: a `now` message replaces the turn, or there is no consumer. */
const SILENT = new Set(['interrupt', 'closed', 'returned', 'thrown', 'lease_lost']);

export const aborted: Rule = {
  name: 'aborted',
  applies: (facts) => facts.abortReason !== undefined || facts.deniedWithInterrupt,
  async run(facts, output, iteration) {
    const { state } = output;
    const inTools = facts.deniedWithInterrupt || (facts.responseEnded && facts.calls.length > 0);
    if (facts.deniedWithInterrupt || !SILENT.has(facts.abortReason ?? '')) {
      await iteration.emit(
        loopUserMessage(iteration.deps, inTools ? INTERRUPTED_FOR_TOOL_USE : INTERRUPTED, 'interruption'),
      );
    }
    return stop(state, inTools ? 'aborted_tools' : 'aborted_streaming');
  },
};
