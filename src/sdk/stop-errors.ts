/** What the iterator of `query()` throws when it ends other than by itself. */
import { AbortError, TurnwrightError } from '../protocol/errors.ts';
import type { SDKResultMessage } from '../protocol/result-message.ts';

/** The caller's abort beats whatever the run still had to say (L10.6). */
export function refuseAborted(caller: AbortSignal | undefined): void {
  if (caller?.aborted === true) throw new AbortError();
}

export function errorResult(result: SDKResultMessage): TurnwrightError {
  const text = result.subtype === 'success' ? result.result : result.errors.join('; ');
  return new TurnwrightError('error_result', `Turnwright returned an error result: ${text}`);
}
