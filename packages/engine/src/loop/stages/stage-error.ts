/** An error that a stage throws becomes part of what the stage returns: a fact for the rules. */
import { ConsumerLeft } from '@turnwright/base/async/batch-output.ts';

/** An error that is not the model call's own: those are values (`protocol/model/failure.ts`). */
export interface Thrown {
  readonly error: unknown;
}

/**
 * Throws again what ends the loop without a decision: a consumer that left, and a lost journal. Another
 * process took that session over, so this one has no right to emit or decide anything more (L4.1, L10.6).
 */
export function stageError(error: unknown): Thrown {
  if (error instanceof ConsumerLeft || isLostJournal(error)) throw error;
  return { error };
}

function isLostJournal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'fenced';
}
