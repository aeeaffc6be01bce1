/**
 * Events about the model call itself: an attempt is sent, or a wait precedes the next one. Recorded before
 * they are emitted.
 */
import type { LoopBatch } from '../../protocol/model/messages.ts';
import type { ModelOutput, ModelRequest } from '../../protocol/model/model.ts';
import type { Iteration } from '../iteration.ts';
import { systemMessage } from '../loop-messages.ts';
import type { ResponseSoFar } from '../response.ts';

export type AttemptEvent = Exclude<ModelOutput, { kind: 'events' }>;

export async function recordRetry(
  { notice }: Extract<AttemptEvent, { kind: 'retry' }>,
  iteration: Iteration,
): Promise<LoopBatch> {
  const message = systemMessage(iteration.deps, {
    subtype: 'api_retry',
    attempt: notice.attempt,
    max_retries: notice.maxRetries,
    ...(notice.isUnlimited === true && { is_unlimited: true }),
    retry_delay_ms: notice.delayMs,
    error_status: notice.status,
    error: notice.error,
    error_message: notice.cause,
  });
  await iteration.recordMessage(message);
  return [message];
}

export async function recordAttempt(
  { maxTokens, bytes }: Extract<AttemptEvent, { kind: 'attempt' }>,
  { model, querySource, effort, maxTokens: asked }: ModelRequest,
  response: ResponseSoFar,
  turnCount: number,
  iteration: Iteration,
): Promise<LoopBatch> {
  iteration.startAttempt();
  response.maxTokens = maxTokens;
  response.capWasLowered = maxTokens < asked;
  const recording = iteration.record({
    type: 'request',
    id: iteration.id('request'),
    submission: iteration.params.submission,
    iteration: iteration.number,
    attempt: iteration.attempt,
    model,
    maxTokens,
    querySource,
  });
  if (recording !== undefined) await recording;
  iteration.trace.note({ request: { model, maxTokens, ...(effort !== undefined && { effort }), bytes } });
  return [{ type: 'stream_request_start', iteration: iteration.number, turnCount }];
}
