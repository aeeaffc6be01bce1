import { TurnwrightError } from '../../protocol/errors.ts';

/** A `storage_error` with the system's reason (F71). */
export function storageError(sentence: string, cause?: unknown): TurnwrightError {
  if (cause === undefined) return new TurnwrightError('storage_error', sentence);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return new TurnwrightError('storage_error', `${sentence} ${adviceFor(code, cause)}`, { cause });
}

function adviceFor(code: string | undefined, cause: unknown): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk is full (${code}): free some space; what was recorded before is intact.`;
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return `The folder is not writable (${code}): choose another configuration home (TURNWRIGHT_HOME), or keep nothing (--no-session-persistence, persistSession: false).`;
    case 'EMFILE':
    case 'ENFILE':
      return `Too many files are open (${code}).`;
    default:
      return cause instanceof Error ? `Reason: ${cause.message}` : '';
  }
}

export const appendOutOfOrder = (afterSeq: number, head: number): Error =>
  storageError(`An append was to follow record ${afterSeq}, but the last record of the journal is ${head}.`);

export const notOpen = (sessionId: string): Error =>
  storageError(`Session ${sessionId} is not open for writing; take it over first.`);

export const unwritten = (cause: unknown): Error =>
  storageError('A record could not be written to the session file.', cause);
