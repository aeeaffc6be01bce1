import type { JournalBody } from '../../protocol/journal.ts';

/** What makes a record the same one when it is appended, or read, again. */
export function recordIdentity(body: JournalBody): string {
  if (!('uuid' in body)) return body.id;
  return isSettled(body) ? `${body.uuid}/settled` : body.uuid;
}

/** A block that stands further up, now with what its response came to. */
export function isSettled(body: JournalBody): body is Extract<JournalBody, { type: 'assistant' }> {
  return body.type === 'assistant' && body.settled === true;
}
