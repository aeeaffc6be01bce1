/**
 * Stage 3: one response, whatever it takes. A broken stream is retried here and an overloaded model is
 * replaced here (L4.3, L4.4): neither is a transition. A failure is returned as part of the response, and not
 * emitted.
 */

import { withSignal } from '@turnwright/base/async/lazy-signal.ts';
import { thisTick, thisTurn } from '@turnwright/base/async/promises.ts';
import { fallbackTrigger } from '../../protocol/model/fallback.ts';
import type { LoopBatch } from '../../protocol/model/messages.ts';
import {
  type CallOptions,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelOutput,
  type ModelRequest,
} from '../../protocol/model/model.ts';
import type { Iteration } from '../iteration.ts';
import { keepFinishedBlocks, repeatAfter, supersede } from '../recovery/broken-stream.ts';
import {
  fallBack,
  fallbackFor,
  requestAgain,
  warnOfSkipped,
  withoutMarks,
} from '../recovery/model-fallback.ts';
import { answerRefused, dropRefused } from '../recovery/refused-answer.ts';
import { emptyResponse, type Response, type ResponseSoFar } from '../response.ts';
import type { Prepared } from '../stage-output.ts';
import { type AttemptEvent, recordAttempt, recordRetry } from './attempt-events.ts';
import { ResponseReader } from './response-reader.ts';
import { resumedResponse } from './resumed-response.ts';
import { stageError } from './stage-error.ts';

/** `request`: undefined when the response is there already, or none is asked for. */
export async function streamResponse(
  request: ModelRequest | undefined,
  prepared: Prepared,
  iteration: Iteration,
): Promise<Response> {
  const { params, trace, deps } = iteration;
  let models = prepared.state.model;
  const recorded = params.startAt?.response;
  if (prepared.kind === 'resumed' && recorded !== undefined)
    return await resumedResponse(recorded, prepared, iteration);
  let response = emptyResponse(models.current);
  if (request === undefined || iteration.abortReason !== undefined) return { models, ...response };
  deps.onStage?.('streaming');
  let ask = request;
  const waiting = deps.parking === undefined ? undefined : { isTooLong: deps.parking.isTooLong };
  let options: Omit<CallOptions, 'signal'> = { ...waiting, retry: FRESH_RETRY_STATE };
  const asItIs = (): Response => {
    answerRefused(response, iteration);
    return { models, ...response };
  };
  try {
    while (true) {
      const stream = new ResponseStream(ask, options, prepared, iteration);
      response = stream.response;
      trace.note({ response });
      const outcome = await stream.read();
      trace.attempts.push(...outcome.attempts);
      const isRefused = response.stopReason === 'refusal' && iteration.abortReason === undefined;
      if (outcome.kind === 'aborted' || (outcome.kind === 'complete' && !isRefused)) return asItIs();
      if (outcome.kind === 'parked')
        return { models, ...response, wait: { on: 'time', wakeAt: outcome.wakeAt, why: outcome.why } };
      const trigger =
        outcome.kind === 'complete'
          ? 'refusal'
          : fallbackTrigger(outcome.failure, outcome.retry, outcome.kind === 'failed');
      const { fallback, skipped } = await fallbackFor(trigger, models, prepared.tokens, iteration);
      const isUnaided = fallback === undefined && skipped.length > 0;
      if (isUnaided) {
        await warnOfSkipped(skipped, iteration);
        models = { ...models, fallbacks: [] };
        ask = withoutMarks(ask);
      }
      if (outcome.kind === 'complete') {
        if (fallback === undefined) return asItIs();
        const { requestId, stopDetails: details } = response;
        const retracted = await dropRefused(response, iteration);
        models = await fallBack(fallback, models, iteration, { requestId, details, retracted });
        if (response.calls.length > 0) return { models, ...response };
        ask = requestAgain(ask, models, iteration, details?.fallback_credit_token);
        options = { ...waiting, retry: FRESH_RETRY_STATE };
        continue;
      }
      const { failure, retry } = outcome;
      if (response.calls.length > 0) {
        await keepFinishedBlocks(failure, iteration);
        response.stopReason = 'tool_use';
        if (fallback !== undefined) models = await fallBack(fallback, models, iteration);
        return { models, ...response };
      }
      if (fallback === undefined && outcome.kind === 'failed') {
        if (!isUnaided) return { models, ...response, failure };
        options = { ...waiting, retry, after: { failure, immediate: false } };
        continue;
      }
      await supersede(response, fallback === undefined ? 'superseded' : 'fallback', iteration);
      response = emptyResponse(models.current);
      trace.note({ response });
      if (fallback === undefined) {
        const { stream, immediate } = repeatAfter(failure, ask, iteration);
        ask = { ...ask, stream };
        options = { ...waiting, retry, after: { failure, immediate } };
      } else {
        models = await fallBack(fallback, models, iteration);
        ask = requestAgain(ask, models, iteration);
        options = { ...waiting, retry: FRESH_RETRY_STATE };
      }
    }
  } catch (error) {
    return { ...asItIs(), thrown: stageError(error) };
  } finally {
    // Left by its consumer.
    answerRefused(response, iteration);
  }
}

type Step = IteratorResult<ModelOutput, ModelOutcome>;

/** One attempt's response, and the tool results that arrive while it streams. */
class ResponseStream {
  readonly #request: ModelRequest;
  readonly #turnCount: number;
  readonly #iteration: Iteration;
  readonly #reader: ResponseReader;
  readonly #outputs: AsyncGenerator<ModelOutput, ModelOutcome>;
  readonly #release: () => void;
  /** Output that was requested from the model and not processed yet. */
  #pending: Promise<Step> | undefined;

  constructor(
    request: ModelRequest,
    options: Omit<CallOptions, 'signal'>,
    prepared: Prepared,
    iteration: Iteration,
  ) {
    this.#request = request;
    this.#turnCount = prepared.state.turnCount;
    this.#iteration = iteration;
    this.#reader = new ResponseReader(request, prepared, iteration);
    const { scope } = iteration;
    this.#outputs = iteration.deps.callModel(request, withSignal({ life: scope, ...options }, scope));
    this.#release = scope.onClose(async () => {
      await this.#outputs.return(undefined as never).catch(() => {});
    });
  }

  get response(): ResponseSoFar {
    return this.#reader.response;
  }

  /** Emits what the model and the tools bring, whichever comes first, until the response has ended. */
  async read(): Promise<ModelOutcome> {
    const { tools } = this.#iteration;
    try {
      while (true) {
        this.#pending ??= this.#outputs.next();
        if (tools.open > 0 && (await this.#tookTools(this.#pending))) continue;
        const step = await this.#pending;
        this.#pending = undefined;
        if (step.done === true) return await this.#end(step.value);
        const batch = this.#take(step.value);
        await this.#emit(batch instanceof Promise ? await batch : batch);
      }
    } catch (error) {
      // What was received is paid for; the scope ends the call.
      this.#reader.abandon();
      throw error;
    }
  }

  /** Results of tools are emitted, or were the first to come. */
  async #tookTools(pending: Promise<Step>): Promise<boolean> {
    this.#askAhead();
    const { tools } = this.#iteration;
    const batch = await tools.drain();
    await this.#emit(batch);
    if (batch.length > 0 || tools.open === 0) return batch.length > 0;
    const first = await Promise.race([
      pending.then(() => 'model' as const),
      tools.ready().then(() => 'tools' as const),
    ]);
    return first === 'tools';
  }

  async #emit(batch: LoopBatch): Promise<void> {
    if (batch.length === 0) return;
    await this.#iteration.output.emit(batch);
    this.#reader.delivered();
  }

  /**
   * Requests more output from the model before it is awaited: a consumer that ends early must not leave a
   * rejection unhandled.
   */
  #askAhead(): void {
    this.#pending ??= this.#outputs.next();
    this.#pending.catch(() => {});
  }

  #take(output: ModelOutput): LoopBatch | Promise<LoopBatch> {
    if (output.kind !== 'events') return this.#attemptEvent(output);
    this.response.requestId ??= output.requestId;
    this.#reader.take(output);
    return this.#reader.mayBeRefused ? this.#startBehindRead() : this.#reader.start();
  }

  /**
   * Starts calls once the events that have arrived with them are taken: a refusal among them keeps calls
   * from running. Nothing is waited for that has not arrived.
   */
  async #startBehindRead(): Promise<LoopBatch> {
    const turn = thisTurn();
    while (this.#reader.mayBeRefused) {
      this.#askAhead();
      const step = await Promise.race([this.#pending?.catch(() => undefined), turn]);
      if (step === undefined || step.done === true || step.value.kind !== 'events') break;
      this.#pending = undefined;
      this.#reader.take(step.value);
    }
    return this.#reader.start();
  }

  async #attemptEvent(event: AttemptEvent): Promise<LoopBatch> {
    const iteration = this.#iteration;
    const batch =
      event.kind === 'retry'
        ? await recordRetry(event, iteration)
        : await recordAttempt(event, this.#request, this.response, this.#turnCount, iteration);
    // The attempt is recorded: it begins before its announcement is emitted, unless the engine is about to
    // end the run.
    if (iteration.deps.guard.verdict() === undefined) {
      this.#askAhead();
      await thisTick();
    }
    return batch;
  }

  async #end(outcome: ModelOutcome): Promise<ModelOutcome> {
    this.#release();
    // A complete response was ended by its last event.
    if (outcome.kind !== 'complete') await this.#emit(await this.#reader.end(outcome));
    return outcome;
  }
}
