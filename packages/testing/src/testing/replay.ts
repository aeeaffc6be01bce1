/** Replays the journal of a test, or of a session, without its files. */
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import type { ReplayReport } from '@turnwright/engine/protocol/session/replay-report.ts';
import type { ReplayOptions } from '@turnwright/engine/replay/replay-journal.ts';

/**
 * Runs the real loop from a journal alone and compares each decision with the recorded one, up to the first
 * that differs. No network, no tool, nothing is written. `alter` and `alterBytes` change one thing, to see
 * what it does.
 *
 * @example
 * ```ts
 * const store = recordingStore();
 * const report = await replay(store.entries('session-1'));
 * if (report.difference !== undefined) throw new Error(report.difference.fact);
 * ```
 */
export async function replay(
  entries: Iterable<JournalEntry>,
  options: ReplayOptions = {},
): Promise<ReplayReport> {
  const { replayJournal: run } = await import('@turnwright/engine/replay/replay-journal.ts');
  return run(entries, options);
}
