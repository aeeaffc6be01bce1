/** The inspector's data of entries that are in no file. */
import type { SessionInspection } from '@turnwright/engine';
import type { FinishedRun } from '@turnwright/engine/protocol/session/forecast.ts';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { listPrice, toSessionCost } from '../../packages/engine/src/engine/standalone/inspect-session.ts';
import { inspectionText } from '../../packages/engine/src/session/explain.ts';
import { inspectJournals } from '../../packages/engine/src/session/inspection/inspect-journals.ts';
import { JournalRows } from '../../packages/engine/src/session/inspection/iteration-rows.ts';

export function inspectEntries(
  entries: readonly JournalEntry[],
  { isRunning = false, runs }: { readonly isRunning?: boolean; readonly runs?: readonly FinishedRun[] } = {},
): SessionInspection {
  const main = new JournalRows(listPrice);
  for (const entry of entries) main.add(entry);
  const sessionId = main.sessionId;
  return inspectJournals({
    sessionId,
    main,
    agents: [],
    isRunning,
    runs,
    isRedacted: false,
    damage: [],
    toCost: (totals, isForeign) => toSessionCost(sessionId, totals, isForeign),
  });
}

export const explainRecords = (entries: readonly JournalEntry[]): string =>
  inspectionText(inspectEntries(entries));
