import type { JournalBody } from '../../protocol/session/journal.ts';

/** Identity of a record that is appended, or read, again. */
export function recordIdentity(body: JournalBody): string {
  if (!('uuid' in body)) return body.id;
  return isSettled(body) ? `${body.uuid}/settled` : body.uuid;
}

/** A block that is recorded again, with the usage of its response. */
export function isSettled(body: JournalBody): body is Extract<JournalBody, { type: 'assistant' }> {
  return body.type === 'assistant' && body.settled === true;
}
