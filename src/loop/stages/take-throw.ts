/** A throw in stages 1–5 becomes a fact for the rules. What was asked of tools is settled all the same. */
import type { Said } from '../../protocol/messages.ts';
import type { Iteration } from '../iteration.ts';
import { isLostJournal } from '../lost-journal.ts';
import { settleTools } from './settle-tools.ts';

export async function* takeThrow(error: unknown, iteration: Iteration): AsyncGenerator<Said, void> {
  if (isLostJournal(error)) throw error;
  iteration.thrown = { error };
  try {
    if (iteration.response.calls.length > 0) yield* settleTools(iteration);
  } catch (second) {
    if (isLostJournal(second)) throw second; // the first error is the one to tell of
  }
}
