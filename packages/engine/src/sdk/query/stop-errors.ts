/** Errors that the iterator of `query()` throws. */
import { failureResult } from '../../engine/output/failure-result.ts';
import { AbortError, TurnwrightError } from '../../protocol/errors.ts';
import type { SDKResultError, SDKResultMessage } from '../../protocol/stream/result-message.ts';
import type { Options } from '../query-options.ts';

/** The caller's abort takes precedence over further messages (L10.6). */
export function refuseAborted(caller: AbortSignal | undefined): void {
  if (caller?.aborted === true) throw new AbortError();
}

/** The text begins as programs that migrate expect it. */
export function errorResult(result: SDKResultMessage): TurnwrightError {
  return new TurnwrightError('error_result', errorText(result));
}

/** The session could not start. The consumer receives its result first, as for any other failure. */
export class StartFailed extends TurnwrightError {
  readonly result: SDKResultError;

  constructor(cause: unknown, sessionId: string | undefined) {
    const result = failureResult(cause, sessionId);
    super('error_result', errorText(result), { cause });
    const lacksSandbox = cause instanceof TurnwrightError && cause.code === 'sandbox_unavailable';
    this.result = lacksSandbox
      ? { ...result, startup_failure_reason: 'sandbox_required_unavailable' }
      : result;
  }
}

/**
 * The same, reported to `options.stderr` immediately. `sessionId`: default that of the options, else a new
 * one.
 */
export function startFailed(
  cause: unknown,
  { sessionId, resume, stderr }: Pick<Options, 'sessionId' | 'resume' | 'stderr'>,
): StartFailed {
  const failed = new StartFailed(cause, sessionId ?? resume);
  for (const line of failed.result.errors) stderr?.(line);
  return failed;
}

function errorText(result: SDKResultMessage): string {
  const text = result.subtype === 'success' ? result.result : result.errors.join('; ');
  return `Claude Code returned an error result: ${text}`;
}
