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

export interface CallLayer {
  /** Called before the request is sent. Returns the failure that it ends with instead, if any. */
  before?(request: ModelRequest): ModelFailure | undefined;
  /** Called with everything that the call yields, before its consumer gets it. */
  onOutput?(request: ModelRequest, output: ModelOutput): void;
  /** Called with each wait before another attempt. */
  onRetry?(request: ModelRequest, notice: Extract<ModelOutput, { kind: 'retry' }>['notice']): void;
  /**
   * Called once for each request that was sent. `outcome` is undefined when the consumer left the call;
   * `repeats` counts the requests that were made in place of the first. Returns one more such request;
   * undefined: the call has ended.
   */
  after?(request: ModelRequest, outcome: ModelOutcome | undefined, repeats: number): ModelRequest | undefined;
}

/** More refused tools than this in one call say that something else is wrong. */
const MAX_REFUSED_TOOLS = 5;

/** The same call with these layers around it, the first one outermost. */
export function layered(call: CallModel, layers: readonly CallLayer[]): CallModel {
  const hearing = layers.filter(({ onOutput }) => onOutput !== undefined);
  return (request, options) => callThrough({ layers, hearing }, call, request, options);
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

async function* callThrough(
  { layers, hearing }: Readonly<Record<'hearing' | 'layers', readonly CallLayer[]>>,
  call: CallModel,
  given: ModelRequest,
  options: CallOptions,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const attempts: AttemptRecord[] = [];
  let request = given;
  let { retry } = options;
  for (let repeats = 0; ; repeats++) {
    const failure = refusalBy(layers, request);
    if (failure !== undefined) return { kind: 'failed', failure, retry, attempts };
    const outputs = call(request, repeats === 0 ? options : { ...options, retry });
    let step: IteratorResult<ModelOutput, ModelOutcome> | undefined;
    try {
      for (step = await outputs.next(); step.done !== true; step = await outputs.next()) {
        for (const layer of hearing) layer.onOutput?.(request, step.value);
        if (step.value.kind === 'retry')
          for (const layer of layers) layer.onRetry?.(request, step.value.notice);
        yield step.value;
      }
    } finally {
      // It failed, or its consumer left.
      if (step?.done !== true) {
        tellEnd(layers, request, undefined, repeats);
        await outputs.return(undefined as never);
      }
    }
    const outcome = step.value;
    const repeat = tellEnd(layers, request, outcome, repeats);
    attempts.push(...outcome.attempts);
    if (repeat === undefined) return repeats === 0 ? outcome : { ...outcome, attempts };
    request = repeat;
    retry = outcome.retry;
  }
}

function refusalBy(layers: readonly CallLayer[], request: ModelRequest): ModelFailure | undefined {
  for (const layer of layers) {
    const failure = layer.before?.(request);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Tells every layer; the innermost one that wants another request gets it. */
function tellEnd(
  layers: readonly CallLayer[],
  request: ModelRequest,
  outcome: ModelOutcome | undefined,
  repeats: number,
): ModelRequest | undefined {
  let repeat: ModelRequest | undefined;
  for (const layer of layers.toReversed()) {
    const wanted = layer.after?.(request, outcome, repeats);
    repeat ??= wanted;
  }
  return repeat;
}
