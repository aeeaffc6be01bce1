import { join } from 'node:path';
import { shownId } from '@turnwright/base/text/cut-text.ts';
import { isPlainName } from '@turnwright/base/text/plain-name.ts';
import { TurnwrightError } from '../protocol/errors.ts';

const MOST_ID_CHARS = 128;

/** `<directory>/<id>.jsonl`. Throws `invalid_option` for an id that could name anything but a file there. */
export function journalPath(directory: string, sessionId: string): string {
  return join(directory, `${checkedSessionId(sessionId)}.jsonl`);
}

/** `<directory>/<id>.lock`, beside its journal. */
export function lockPath(directory: string, sessionId: string): string {
  return join(directory, `${checkedSessionId(sessionId)}.lock`);
}

export function checkedSessionId(sessionId: string): string {
  if (isSessionId(sessionId)) return sessionId;
  throw new TurnwrightError(
    'invalid_option',
    `"${shownId(sessionId)}" is not a session id: letters, digits, "-" and "_" only, at most ${MOST_ID_CHARS}.`,
  );
}

export const isSessionId = (text: string): boolean => isPlainName(text, MOST_ID_CHARS);
