/** What a model call says about itself: an attempt goes out, or a wait before the next one. On record before it is shown. */
import type { LoopMessage } from '../../protocol/messages.ts';
import type { ModelOutput, ModelRequest } from '../../protocol/model.ts';
import type { Iteration } from '../iteration.ts';
import { systemMessage } from '../say.ts';

type Notice = Exclude<ModelOutput, { kind: 'events' }>;

export function takeNotice(
  output: Notice,
  request: ModelRequest,
  iteration: Iteration,
): Promise<LoopMessage> {
  return output.kind === 'attempt' ? attempt(output, request, iteration) : retry(output, iteration);
}

async function retry(
  { notice }: Extract<Notice, { kind: 'retry' }>,
  iteration: Iteration,
): Promise<LoopMessage> {
  const message = systemMessage(iteration.deps, {
    subtype: 'api_retry',
    attempt: notice.attempt,
    max_retries: notice.maxRetries,
    retry_delay_ms: notice.delayMs,
    error_status: notice.status,
    error: notice.error,
    error_message: notice.cause,
  });
  await iteration.recordMessage(message);
  return message;
}

async function attempt(
  { maxTokens, bytes }: Extract<Notice, { kind: 'attempt' }>,
  { model, querySource }: ModelRequest,
  it: Iteration,
): Promise<LoopMessage> {
  it.attempt += 1;
  const recording = it.record({
    type: 'request',
    id: it.id('request'),
    submission: it.params.submission,
    iteration: it.state.iteration,
    attempt: it.attempt,
    model,
    maxTokens,
    querySource,
  });
  if (recording !== undefined) await recording;
  it.trace.request = { ...it.trace.request, model, maxTokens, bytes };
  return { type: 'stream_request_start', iteration: it.state.iteration, turnCount: it.state.turnCount };
}
