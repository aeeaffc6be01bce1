/** What the iterator of `query()` throws when it ends other than by itself. */
import { failureResult } from '../engine/failure-result.ts';
import { AbortError, TurnwrightError } from '../protocol/errors.ts';
import type { SDKResultError, SDKResultMessage } from '../protocol/result-message.ts';

/** The caller's abort beats whatever the run still had to say (L10.6). */
export function refuseAborted(caller: AbortSignal | undefined): void {
  if (caller?.aborted === true) throw new AbortError();
}

/** Begins as programs that move over expect it. */
export function errorResult(result: SDKResultMessage): TurnwrightError {
  return new TurnwrightError('error_result', errorText(result));
}

/** The session to resume could not be opened. The consumer gets its result first, like that of any other failure. */
export class ResumeFailed extends TurnwrightError {
  readonly result: SDKResultError;

  constructor(cause: unknown, sessionId: string) {
    const result = failureResult(cause, sessionId);
    super('error_result', errorText(result), { cause });
    this.result = result;
  }
}

function errorText(result: SDKResultMessage): string {
  const text = result.subtype === 'success' ? result.result : result.errors.join('; ');
  return `Claude Code returned an error result: ${text}`;
}
