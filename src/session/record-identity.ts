import type { JournalBody } from '../protocol/journal.ts';

/** What makes a record the same one when it is appended, or read, again. */
export function recordIdentity(body: JournalBody): string {
  return 'uuid' in body ? body.uuid : body.id;
}
