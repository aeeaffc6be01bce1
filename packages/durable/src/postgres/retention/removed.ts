/** What is said of a session that is not in the tables. */
import { dirname } from 'node:path';
import { shellWord } from '@turnwright/base/process/shell-program.ts';
import { shownId } from '@turnwright/base/text/cut-text.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { RunStatement } from '../database.ts';

export const noSuchSession = (sessionId: string): TurnwrightError =>
  new TurnwrightError('session_not_found', `There is no session ${shownId(sessionId)} in this database.`);

/** `session_removed` for one that is archived, with the command that brings it back. */
export async function absentSession(run: RunStatement, sessionId: string): Promise<TurnwrightError> {
  const [row] = await run<{ readonly kind: string; readonly at: Date; readonly reference: string | null }>(
    'select kind, at, reference from turnwright.removed where session_id = $1',
    [sessionId],
  );
  if (row?.kind !== 'archived') return noSuchSession(sessionId);
  return new TurnwrightError(
    'session_removed',
    `Session ${sessionId} was archived on ${row.at.toISOString().slice(0, 10)} as "${row.reference}": npx turnwright durable restore ${sessionId}${formatArchiveFlag(row.reference)}`,
  );
}

/** As an option, where it is a file. */
const formatArchiveFlag = (reference: string | null): string =>
  reference?.startsWith('/') === true ? ` --archive ${shellWord(dirname(reference))}` : '';
