import { join } from 'node:path';
import { TurnwrightError } from '../protocol/errors.ts';

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** `<directory>/<id>.jsonl`. Throws `invalid_option` for an id that could name anything but a file there. */
export function journalPath(directory: string, sessionId: string): string {
  return join(directory, `${checkedSessionId(sessionId)}.jsonl`);
}

export function checkedSessionId(sessionId: string): string {
  if (SESSION_ID.test(sessionId)) return sessionId;
  throw new TurnwrightError(
    'invalid_option',
    `"${sessionId}" is not a session id: letters, digits, "-" and "_" only.`,
  );
}

export const isSessionId = (text: string): boolean => SESSION_ID.test(text);
