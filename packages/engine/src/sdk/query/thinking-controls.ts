/** Thinking, as a host sets it while the session runs. */
import type { QueryEngine } from '../../engine/query-engine.ts';
import { TurnwrightError } from '../../protocol/errors.ts';

/** How much of the thinking is shown. */
export type ThinkingDisplay = 'summarized' | 'omitted';

/**
 * Sets the thinking budget in tokens from the next turn on. 0: off; null: the default; undefined:
 * unchanged.
 */
export type SetMaxThinkingTokens = (
  tokens: number | null | undefined,
  display?: ThinkingDisplay | null,
) => Promise<void>;

/** Throws `invalid_option` for an unknown display; the budget is unchanged then. */
export function setThinking(
  session: QueryEngine,
  tokens: number | null | undefined,
  display?: ThinkingDisplay | null,
): void {
  if (display !== undefined) session.model.setThinkingDisplay(known(display));
  if (tokens === undefined) return;
  session.model.setThinking(
    tokens === null
      ? undefined
      : tokens === 0
        ? { type: 'disabled' }
        : { type: 'enabled', budgetTokens: tokens },
  );
}

function known(display: string | null): ThinkingDisplay | null {
  if (display === null || display === 'summarized' || display === 'omitted') return display;
  throw new TurnwrightError(
    'invalid_option',
    `There is no thinking display ${JSON.stringify(display)} here; there are "summarized" and "omitted".`,
  );
}
