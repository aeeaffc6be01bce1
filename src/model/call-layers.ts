/**
 * Layers around every model call, as one list: a budget that may refuse it, a log of it, the provider's
 * refusal of one tool. A layer is called with values and wraps nothing, so a request crosses this file once,
 * however many layers there are.
 */
import type { ModelFailure } from '../protocol/model/failure.ts';
import type {
  AttemptRecord,
  CallModel,
  CallOptions,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '../protocol/model/model.ts';
import { MadeGenerator } from '../util/async/generator-base.ts';

export interface CallLayer {
  /** Called before the request is sent. Returns the failure that it ends with instead, if any. */
  before?(request: ModelRequest): ModelFailure | undefined;
  /** Called with each wait before another attempt. */
  onRetry?(request: ModelRequest, notice: Extract<ModelOutput, { kind: 'retry' }>['notice']): void;
  /**
   * Called once for each request that was sent. `outcome` is undefined when the consumer left the call;
   * `repeats` counts the requests that were made in place of the first. Returns one more such request;
   * undefined: the call has ended.
   */
  after?(request: ModelRequest, outcome: ModelOutcome | undefined, repeats: number): ModelRequest | undefined;
}

type Step = IteratorResult<ModelOutput, ModelOutcome>;

/** More refused tools than this in one call say that something else is wrong. */
const MAX_REFUSED_TOOLS = 5;

/** The same call with these layers around it, the first one outermost. */
export function layered(call: CallModel, layers: readonly CallLayer[]): CallModel {
  return (request, options) => new LayeredCall(call, layers, request, options);
}

/** A tool that the provider refuses must not cost the session every request (F153): it is left out. */
export function withoutRefusedTools(
  /** Leaves the tool out of further requests. false: it was out already. */
  leaveOut: (tool: string, why: string) => boolean,
): CallLayer {
  return {
    after(request, outcome, repeats) {
      if (outcome?.kind !== 'failed' || outcome.failure.tool === undefined) return undefined;
      if (repeats === MAX_REFUSED_TOOLS) return undefined;
      const refused = request.tools[outcome.failure.tool];
      if (refused === undefined || !leaveOut(refused.name, outcome.failure.message)) return undefined;
      return { ...request, tools: request.tools.filter((tool) => tool !== refused) };
    },
  };
}

/** Not a generator function: three promises fewer per batch. */
class LayeredCall extends MadeGenerator<ModelOutput, ModelOutcome> {
  readonly #call: CallModel;
  readonly #layers: readonly CallLayer[];
  readonly #options: CallOptions;
  #request: ModelRequest;
  /** The request that is being made; undefined before the first step and after the last. */
  #outputs: AsyncGenerator<ModelOutput, ModelOutcome, void> | undefined;
  readonly #attempts: AttemptRecord[] = [];
  #repeats = 0;
  #isOver = false;

  constructor(call: CallModel, layers: readonly CallLayer[], request: ModelRequest, options: CallOptions) {
    super();
    this.#call = call;
    this.#layers = layers;
    this.#request = request;
    this.#options = options;
  }

  next(): Promise<Step> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined as never });
    if (this.#outputs === undefined) {
      const refused = this.#start(this.#options);
      if (refused !== undefined) return Promise.resolve(this.#end(refused));
    }
    return this.#follow();
  }

  async return(value: ModelOutcome | PromiseLike<ModelOutcome>): Promise<Step> {
    const outputs = this.#leave();
    return outputs === undefined ? { done: true, value: await value } : outputs.return(value);
  }

  async throw(error: unknown): Promise<Step> {
    const outputs = this.#leave();
    if (outputs === undefined) throw error;
    return outputs.throw(error);
  }

  /** Begins the request, unless a layer refuses it; returns the outcome of a refused one. */
  #start(options: CallOptions): ModelOutcome | undefined {
    for (const layer of this.#layers) {
      const failure = layer.before?.(this.#request);
      if (failure !== undefined) return { kind: 'failed', failure, retry: options.retry, attempts: [] };
    }
    this.#outputs = this.#call(this.#request, options);
    return undefined;
  }

  #follow(): Promise<Step> {
    return (this.#outputs as AsyncGenerator<ModelOutput, ModelOutcome, void>)
      .next()
      .then(this.#took, this.#failed);
  }

  readonly #took = (step: Step): Step | Promise<Step> => {
    if (this.#isOver) return step;
    if (step.done !== true) {
      if (step.value.kind === 'retry')
        for (const layer of this.#layers) layer.onRetry?.(this.#request, step.value.notice);
      return step;
    }
    const outcome = step.value;
    const repeat = this.#ended(outcome);
    if (repeat === undefined) return this.#end(outcome);
    this.#repeats += 1;
    this.#attempts.push(...outcome.attempts);
    this.#request = repeat;
    const refused = this.#start({ ...this.#options, retry: outcome.retry });
    return refused === undefined ? this.#follow() : this.#end(refused);
  };

  readonly #failed = (error: unknown): never => {
    this.#leave();
    throw error;
  };

  /** Tells every layer; the innermost one that wants another request gets it. */
  #ended(outcome: ModelOutcome | undefined): ModelRequest | undefined {
    let repeat: ModelRequest | undefined;
    for (const layer of this.#layers.toReversed()) {
      const wanted = layer.after?.(this.#request, outcome, this.#repeats);
      repeat ??= wanted;
    }
    return repeat;
  }

  #end(outcome: ModelOutcome): Step {
    this.#isOver = true;
    const attempts = this.#attempts;
    const value =
      attempts.length === 0 ? outcome : { ...outcome, attempts: [...attempts, ...outcome.attempts] };
    return { done: true, value };
  }

  /** Nothing follows any more. Returns the request that was being made. */
  #leave(): AsyncGenerator<ModelOutput, ModelOutcome, void> | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    if (this.#outputs !== undefined) this.#ended(undefined);
    return this.#outputs;
  }
}
