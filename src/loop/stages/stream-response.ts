/**
 * Stage 3: one response, whatever it takes. A broken stream is retried here and an overloaded model is
 * replaced here (L4.3, L4.4): neither is a transition. A failure is returned as part of the response, and not
 * emitted.
 */
import type { LoopBatch } from '../../protocol/model/messages.ts';
import { type CallOptions, FRESH_RETRY_STATE, type ModelRequest } from '../../protocol/model/model.ts';
import { resultIds } from '../../view/tool-results.ts';
import type { CarryOn } from '../deps.ts';
import type { Iteration } from '../iteration.ts';
import { keepFinishedBlocks, repeatAfter, supersede } from '../recovery/broken-stream.ts';
import { fallBack, fallbackAfter, requestAgain } from '../recovery/model-fallback.ts';
import { emptyResponse, type Response, type ResponseSoFar } from '../response.ts';
import type { Prepared } from '../stage-output.ts';
import { ResponseStream } from './response-stream.ts';
import { stageError } from './stage-error.ts';

/** `request`: undefined when the response is there already, or none is asked for. */
export async function* streamResponse(
  request: ModelRequest | undefined,
  prepared: Prepared,
  iteration: Iteration,
): AsyncGenerator<LoopBatch, Response> {
  const { params, trace, deps } = iteration;
  let models = prepared.state.model;
  if (prepared.kind === 'resumed' && params.carryOn !== undefined)
    return { ...resumedResponse(params.carryOn, models.current, iteration), models };
  let response = emptyResponse(models.current);
  if (request === undefined || iteration.abortReason !== undefined) return { ...response, models };
  deps.onStage?.('streaming');
  let ask = request;
  let options: Omit<CallOptions, 'signal'> = { retry: FRESH_RETRY_STATE };
  try {
    while (true) {
      const stream = new ResponseStream(ask, options, prepared, iteration);
      response = stream.response;
      trace.note({ response });
      try {
        for (let batch = await stream.next(); batch !== undefined; batch = await stream.next()) yield batch;
      } finally {
        stream.abandon();
      }
      const { outcome } = stream;
      if (outcome === undefined) return { ...response, models };
      trace.attempts.push(...outcome.attempts);
      if (outcome.kind === 'complete' || outcome.kind === 'aborted') return { ...response, models };
      const { failure, retry } = outcome;
      const fallback = fallbackAfter(retry, ask, models);
      if (response.calls.length > 0) {
        yield* keepFinishedBlocks(failure, iteration);
        response.stopReason = 'tool_use';
        if (fallback !== undefined) models = yield* fallBack(fallback, models, iteration);
        return { ...response, models };
      }
      if (fallback === undefined && outcome.kind === 'failed') return { ...response, models, failure };
      yield* supersede(response, fallback === undefined ? 'superseded' : 'fallback', iteration);
      response = emptyResponse(models.current);
      trace.note({ response });
      if (fallback === undefined) {
        const { stream, immediate } = repeatAfter(failure, ask, iteration);
        ask = { ...ask, stream };
        options = { retry, after: { failure, immediate } };
      } else {
        models = yield* fallBack(fallback, models, iteration);
        ask = requestAgain(ask, fallback, iteration);
        options = { retry: FRESH_RETRY_STATE };
      }
    }
  } catch (error) {
    return { ...response, models, thrown: stageError(error) };
  }
}

/**
 * A response that an earlier process recorded: its unanswered calls run as if they had just arrived (L4.1).
 */
function resumedResponse({ calls, known }: CarryOn, model: string, { tools }: Iteration): ResponseSoFar {
  const answered = new Set(known.flatMap(resultIds));
  tools.resume(known);
  for (const call of calls) {
    if (answered.has(call.block.id)) continue;
    tools.start(call);
    tools.delivered(call.block.id);
  }
  return { ...emptyResponse(model), calls: [...calls], ended: true, stopReason: 'tool_use' };
}
