/**
 * Stage 3: one response, whatever it takes. A broken stream is retried here and an overloaded model is
 * replaced here (L4.3, L4.4): neither is a transition. A failure is returned as part of the response, and not
 * emitted.
 */
import { fallbackTrigger } from '../../protocol/model/fallback.ts';
import type { LoopBatch } from '../../protocol/model/messages.ts';
import {
  type CallOptions,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelOutput,
  type ModelRequest,
} from '../../protocol/model/model.ts';
import { andThen } from '../../util/async/and-then.ts';
import { withSignal } from '../../util/async/lazy-signal.ts';
import { Segment } from '../../util/async/segmented.ts';
import { thisTick, thisTurn } from '../../util/async/this-tick.ts';
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
export async function* streamResponse(
  request: ModelRequest | undefined,
  prepared: Prepared,
  iteration: Iteration,
): AsyncGenerator<LoopBatch | Segment<LoopBatch>, Response> {
  const { params, trace, deps } = iteration;
  let models = prepared.state.model;
  const recorded = params.startAt?.response;
  if (prepared.kind === 'resumed' && recorded !== undefined)
    return yield* resumedResponse(recorded, prepared, iteration);
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
      try {
        yield stream;
      } finally {
        stream.abandon();
      }
      const { outcome } = stream;
      if (outcome === undefined) return asItIs();
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
        yield* warnOfSkipped(skipped, iteration);
        models = { ...models, fallbacks: [] };
        ask = withoutMarks(ask);
      }
      if (outcome.kind === 'complete') {
        if (fallback === undefined) return asItIs();
        const { requestId, stopDetails: details } = response;
        const retracted = yield* dropRefused(response, iteration);
        models = yield* fallBack(fallback, models, iteration, { requestId, details, retracted });
        if (response.calls.length > 0) return { models, ...response };
        ask = requestAgain(ask, models, iteration, details?.fallback_credit_token);
        options = { ...waiting, retry: FRESH_RETRY_STATE };
        continue;
      }
      const { failure, retry } = outcome;
      if (response.calls.length > 0) {
        yield* keepFinishedBlocks(failure, iteration);
        response.stopReason = 'tool_use';
        if (fallback !== undefined) models = yield* fallBack(fallback, models, iteration);
        return { models, ...response };
      }
      if (fallback === undefined && outcome.kind === 'failed') {
        if (!isUnaided) return { models, ...response, failure };
        options = { ...waiting, retry, after: { failure, immediate: false } };
        continue;
      }
      yield* supersede(response, fallback === undefined ? 'superseded' : 'fallback', iteration);
      response = emptyResponse(models.current);
      trace.note({ response });
      if (fallback === undefined) {
        const { stream, immediate } = repeatAfter(failure, ask, iteration);
        ask = { ...ask, stream };
        options = { ...waiting, retry, after: { failure, immediate } };
      } else {
        models = yield* fallBack(fallback, models, iteration);
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
/** A batch, or undefined at the end. */
type Reading = LoopBatch | undefined | Promise<LoopBatch | undefined>;

/**
 * One attempt's response, read to its end, and the tool results that arrive meanwhile. Not a generator, which
 * would cost three promises per batch in each generator around it.
 */
class ResponseStream extends Segment<LoopBatch> {
  readonly #request: ModelRequest;
  readonly #turnCount: number;
  readonly #iteration: Iteration;
  readonly #reader: ResponseReader;
  readonly #outputs: AsyncGenerator<ModelOutput, ModelOutcome>;
  readonly #release: () => void;
  /** Output that was requested from the model and not processed yet. */
  #pending: Promise<Step> | undefined;
  #outcome: ModelOutcome | undefined;

  constructor(
    request: ModelRequest,
    options: Omit<CallOptions, 'signal'>,
    prepared: Prepared,
    iteration: Iteration,
  ) {
    super();
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

  /** Defined once `next` has returned undefined. */
  get outcome(): ModelOutcome | undefined {
    return this.#outcome;
  }

  next(): Promise<LoopBatch | undefined> {
    this.#reader.delivered();
    return this.#outcome === undefined ? this.#read() : Promise.resolve(undefined);
  }

  /** Output of the model, or results of tools, whichever comes first. */
  #read(): Promise<LoopBatch | undefined> {
    this.#pending ??= this.#outputs.next();
    return this.#iteration.tools.open === 0 ? this.#pending.then(this.#took) : this.#readBesideTools();
  }

  async #readBesideTools(): Promise<LoopBatch | undefined> {
    const { tools } = this.#iteration;
    this.#askAhead();
    const batch = await tools.drain();
    if (batch.length > 0) return batch;
    const pending = this.#pending as Promise<Step>;
    if (tools.open > 0 && (await this.#first(pending)) === 'tools') return this.#read();
    return this.#took(await pending);
  }

  readonly #took = (step: Step): Reading => {
    this.#pending = undefined;
    const taking = step.done === true ? this.#end(step.value) : this.#take(step.value);
    return andThen<LoopBatch, LoopBatch | undefined>(taking, this.#made);
  };

  /** Reads on if there is nothing to emit. */
  readonly #made = (batch: LoopBatch): Reading => {
    if (batch.length > 0) return batch;
    return this.#outcome === undefined ? this.#read() : undefined;
  };

  /**
   * Requests more output from the model before it is awaited: a consumer that ends early must not leave a
   * rejection unhandled.
   */
  #askAhead(): void {
    this.#pending ??= this.#outputs.next();
    this.#pending.catch(() => {});
  }

  /** The response is not read any further. What was received is paid for; the scope ends the call. */
  abandon(): void {
    if (this.#outcome === undefined) this.#reader.abandon();
  }

  #first(pending: Promise<Step>): Promise<'model' | 'tools'> {
    return Promise.race([
      pending.then(() => 'model' as const),
      this.#iteration.tools.ready().then(() => 'tools' as const),
    ]);
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

  async #end(outcome: ModelOutcome): Promise<LoopBatch> {
    this.#release();
    // A complete response was ended by its last event.
    const batch = outcome.kind === 'complete' ? [] : await this.#reader.end(outcome);
    this.#outcome = outcome;
    return batch;
  }
}
