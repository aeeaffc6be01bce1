/** One response of the model, read to its end: finished blocks, and tool results that arrive meanwhile. */
import type { LoopBatch } from '../../protocol/model/messages.ts';
import type { CallOptions, ModelOutcome, ModelOutput, ModelRequest } from '../../protocol/model/model.ts';
import { thisTick } from '../../util/async/this-tick.ts';
import type { Iteration } from '../iteration.ts';
import type { ResponseSoFar } from '../response.ts';
import type { Prepared } from '../stage-output.ts';
import { type AttemptEvent, recordAttempt, recordRetry } from './attempt-events.ts';
import { drainToolUpdates } from './drain-tool-updates.ts';
import { ResponseReader } from './response-reader.ts';

type Step = IteratorResult<ModelOutput, ModelOutcome>;

/** Not a generator, which would cost three promises per batch. */
export class ResponseStream {
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
    this.#request = request;
    this.#turnCount = prepared.state.turnCount;
    this.#iteration = iteration;
    this.#reader = new ResponseReader(request, prepared, iteration);
    const { scope } = iteration;
    this.#outputs = iteration.deps.callModel(request, {
      ...options,
      life: scope,
      get signal() {
        return scope.signal;
      },
    });
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

  /** The next batch, or undefined at the end. Calling it acknowledges the previous batch. */
  async next(): Promise<LoopBatch | undefined> {
    const { tools } = this.#iteration;
    this.#reader.delivered();
    while (this.#outcome === undefined) {
      this.#pending ??= this.#outputs.next();
      if (tools.open > 0) {
        this.#askAhead();
        const batch = await drainToolUpdates(this.#iteration);
        if (batch.length > 0) return batch;
        if (tools.open > 0 && (await this.#first(this.#pending)) === 'tools') continue;
      }
      const step = await this.#pending;
      this.#pending = undefined;
      const taking = step.done === true ? this.#end(step.value) : this.#take(step.value);
      const batch = taking instanceof Promise ? await taking : taking;
      if (batch.length > 0) return batch;
    }
    return undefined;
  }

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
    return this.#reader.take(output);
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
