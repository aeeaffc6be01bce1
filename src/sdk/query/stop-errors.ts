/** What the iterator of `query()` throws when it ends other than by itself. */
import { failureResult } from '../../engine/output/failure-result.ts';
import { AbortError, TurnwrightError } from '../../protocol/errors.ts';
import type { SDKResultError, SDKResultMessage } from '../../protocol/result-message.ts';
import type { Options } from '../options.ts';

/** The caller's abort beats whatever the run still had to say (L10.6). */
export function refuseAborted(caller: AbortSignal | undefined): void {
  if (caller?.aborted === true) throw new AbortError();
}

/** Begins as programs that move over expect it. */
export function errorResult(result: SDKResultMessage): TurnwrightError {
  return new TurnwrightError('error_result', errorText(result));
}

/** The session could not begin. The consumer gets its result first, like that of any other failure. */
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

/** The same for `options.stderr` at once. `sessionId`: default that of the options, else a new one. */
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
