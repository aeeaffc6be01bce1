/**
 * Resume (L4.1): a pure function of the journal. For any prefix of a journal, the returned view becomes a
 * valid conversation once `closeInterrupted` or `carryOn` has answered the open calls.
 */
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { recordsInOrder } from './record-order.ts';
import { noProblems } from './resume-problems.ts';
import { ResumeReplay } from './resume-replay.ts';
import type { ResumedSession } from './resumed-session.ts';

export function resumeSession(entries: Iterable<JournalEntry>): ResumedSession {
  const problems = noProblems();
  const replay = new ResumeReplay(problems);
  for (const entry of recordsInOrder(entries, problems)) replay.apply(entry);
  return replay.finish();
}
