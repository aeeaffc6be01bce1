/** How a session ended and what it has cost: the last records of its file that say so. */
import type { SessionStoreEntry } from '../../protocol/session/session-store.ts';
import type { SpendingRow } from '../../protocol/session/spending.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';

/** How a session ended and what it has cost. */
export interface SessionOutcome {
  /** USD, of all processes of the session. */
  readonly costUsd: number;
  /** false: a model without a price was used, so `costUsd` lacks what it cost. */
  readonly isPriced: boolean;
  /**
   * `completed`: the last prompt was answered; another reason: why it was not. Absent: it has no result,
   * because it still runs or because its process ended.
   */
  readonly lastResult?: Pick<SDKResultMessage, 'subtype' | 'is_error' | 'terminal_reason'>;
}

/** Lines that contain none of these texts change no outcome. */
export const OUTCOME_MARKS = ['"type":"submission"', '"type":"cost"', '"type":"result"'] as const;

const NO_OUTCOME: SessionOutcome = { costUsd: 0, isPriced: true };

export function foldOutcome(before: SessionOutcome = NO_OUTCOME, entry: SessionStoreEntry): SessionOutcome {
  switch (entry.type) {
    case 'submission':
      return withoutResult(before);
    case 'cost': {
      const { totalCostUsd, spending } = entry as { totalCostUsd?: unknown; spending?: unknown };
      const rows = Array.isArray(spending) ? (spending as readonly SpendingRow[]) : [];
      return {
        ...before,
        costUsd: typeof totalCostUsd === 'number' ? totalCostUsd : before.costUsd,
        isPriced: rows.every(({ isPriced }) => isPriced !== false),
      };
    }
    case 'result': {
      const { result } = entry as { result?: unknown };
      if (typeof result !== 'object' || result === null) return before;
      const { subtype, is_error, terminal_reason } = result as SDKResultMessage;
      return {
        ...before,
        lastResult: { subtype, is_error, ...(terminal_reason !== undefined && { terminal_reason }) },
      };
    }
    default:
      return before;
  }
}

function withoutResult({ lastResult: _, ...outcome }: SessionOutcome): SessionOutcome {
  return outcome;
}
