import type { Rule } from '../rule.ts';
import { PASS } from '../rule.ts';

/**
 * The model says that it is done: the completion conditions are checked. Behind the Stop hooks and the token
 * budget, which may both send the model back to work or change files: what holds before them need not hold
 * behind them. Before `tool_ended_turn`, as a structured value ends the work too.
 */
export const verify: Rule = {
  name: 'verify',
  needs: 'verify',
  applies: (facts) => facts.endsTurn || facts.calls.length === 0,
  async run(facts, output, iteration) {
    const { number, params, signal } = iteration;
    const checks = await iteration.deps.verify?.check({
      signal,
      submission: params.submission,
      iteration: number,
    });
    if (checks === undefined) return PASS;
    iteration.trace.checked(checks);
    if (checks.every(({ outcome }) => outcome === 'passed')) return PASS;
    // Loaded by the first condition that does not hold.
    const { sendBack } = await import('../recovery/failed-checks.ts');
    return sendBack(checks, facts, output, iteration);
  },
};
