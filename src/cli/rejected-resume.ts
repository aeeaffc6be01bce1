import type { SDKResultMessage } from '../index.ts';

const REJECTED = 'Resume rejected by --resume-drops-turn:';

/** The line for stderr that clients look for when a resume would have lost more than was meant. */
export function rejectionIn(result: SDKResultMessage | undefined): string | undefined {
  if (result === undefined || result.subtype === 'success') return undefined;
  return result.errors.find((error) => error.startsWith(REJECTED));
}
