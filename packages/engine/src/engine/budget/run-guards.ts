/**
 * The two guards that stand outside the loop's rules: money, and attempts at structured output. Asked between
 * messages; the one place that ends a run for either (L10.5).
 */
import type { OuterGuard } from '../../loop/deps.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { StructuredOutput } from '../submission/structured-output.ts';
import type { SessionBudget } from './session-budget.ts';

export interface GuardOptions {
  readonly budget: Pick<SessionBudget, 'isSpent' | 'unaffordable'>;
  readonly structured?: StructuredOutput | undefined;
  /** The loop's iteration, for the terminal. */
  turnCount(): number;
}

export function createGuard(options: GuardOptions): OuterGuard {
  const stop = (reason: Terminal['reason'], why?: string): Terminal => ({
    reason,
    turnCount: options.turnCount(),
    ...(why !== undefined && { errors: [why] }),
  });
  return {
    verdict() {
      const { isSpent, unaffordable } = options.budget;
      if (isSpent) return stop('budget_exhausted');
      if (unaffordable !== undefined) return stop('budget_exhausted', unaffordable);
      if (options.structured?.exhausted() === true) return stop('structured_output_retry_exhausted');
      return undefined;
    },
    structuredOutput() {
      const accepted = options.structured?.accepted();
      return accepted === undefined ? { accepted: false } : { accepted: true, value: accepted.value };
    },
  };
}
