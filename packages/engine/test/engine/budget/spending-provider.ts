/** A provider that always bills the worst: a token for each byte, nothing cached, the whole output cap used. */

import { type Reply, say, scriptedModel } from '@turnwright/testing';
import { computeCost } from '../../../src/model/catalog/prices.ts';
import type {
  CallModel,
  CallOptions,
  ModelInfo,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '../../../src/protocol/model/model.ts';
import { EMPTY_USAGE, type Usage } from '../../../src/protocol/model/wire.ts';

type Ending = 'complete' | 'broken' | 'lost' | 'refused';

interface Provider {
  readonly callModel: CallModel;
  /** USD, for all calls so far. */
  billed(): number;
  /** Calls in flight at once, at most. */
  mostAtOnce(): number;
  calls(): number;
}

interface Behaviour {
  readonly infoOf: (model: string) => ModelInfo;
  /** Cache entries live for an hour. */
  readonly hourly: boolean;
  answer(request: ModelRequest): { readonly reply: Reply; readonly ending: Ending; readonly ticks: number };
}

export function spendingProvider({ infoOf, hourly, answer }: Behaviour): Provider {
  let billed = 0;
  let open = 0;
  let mostAtOnce = 0;
  let calls = 0;
  async function* callModel(
    request: ModelRequest,
    options: CallOptions,
  ): AsyncGenerator<ModelOutput, ModelOutcome> {
    const { reply, ending, ticks } = answer(request);
    const usage = worstUsage(request, hourly);
    calls++;
    if (ending !== 'refused') billed += computeCost(usage, infoOf(request.model)) ?? Number.NaN;
    open++;
    mostAtOnce = Math.max(mostAtOnce, open);
    try {
      for (let tick = 0; tick < ticks; tick++) await new Promise(setImmediate);
      const failed = (kind: 'connection' | 'server_error' | 'cut', status?: number) => ({
        failure: { kind, message: 'It failed.', ...(status !== undefined && { status }) },
        retry: options.retry,
        attempts: [],
      });
      if (ending === 'refused') return { kind: 'failed', ...failed('server_error', 500) };
      if (ending === 'lost') return { kind: 'failed', ...failed('connection') };
      const told = ending === 'complete' ? reply : say('');
      const model = scriptedModel([{ ...told, options: { ...told.options, usage } }]);
      const outcome = yield* model.callModel(request, options);
      return ending === 'broken' ? { kind: 'broken', ...failed('cut') } : outcome;
    } finally {
      open--;
    }
  }
  return { callModel, billed: () => billed, mostAtOnce: () => mostAtOnce, calls: () => calls };
}

function worstUsage(request: ModelRequest, hourly: boolean): Usage {
  const { system, userContext, tools, view, maxTokens } = request;
  const contents = view
    .slice()
    .map((message) => (message.type === 'attachment' ? message.rendered : message.message.content));
  const tokens = Buffer.byteLength(JSON.stringify([system, userContext, tools, contents])) + 700;
  return {
    ...EMPTY_USAGE,
    cache_creation_input_tokens: tokens,
    cache_creation: {
      ephemeral_5m_input_tokens: hourly ? 0 : tokens,
      ephemeral_1h_input_tokens: hourly ? tokens : 0,
    },
    output_tokens: maxTokens,
  };
}
