import { extended } from '@turnwright/base/collections/extended.ts';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { layered } from '../../model/call-layers.ts';
import { modelInfo } from '../../model/catalog/model-info.ts';
import type {
  AttemptRecord,
  CallModel,
  CallOptions,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '../../protocol/model/model.ts';
import type { ModelClient } from '../../protocol/model/model-client.ts';
import type { SpendGuard } from '../../protocol/model/spend-guard.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { FitRequest } from '../models/fit-request.ts';
import { named, openModelClient, ownName, resolvedModel } from '../models/open-model-client.ts';
import type { ModelPort } from '../models/session-model.ts';

export function composeModel(
  config: QueryEngineConfig,
  ports: { readonly clock: Clock; readonly random: RandomPort; readonly spendGuard: SpendGuard | undefined },
): ModelPort {
  const fitting = lazily(async () => (await import('../models/fit-request.ts')).fitRequests(config.stderr));
  let apiMs = 0;
  let sessionApiMs = 0;
  const onAttempt = (attempt: AttemptRecord) => {
    apiMs += attempt.endMs - attempt.startMs;
    sessionApiMs += attempt.endMs - attempt.startMs;
    config.onModelRequest?.(attempt);
  };
  const clientPorts = extended(ports, { onAttempt });
  const client =
    config.callModel === undefined
      ? openModelClient(config, clientPorts)
      : givenClient(config.callModel, config, clientPorts);
  return {
    call: (request, options) => {
      const { supportsImages, supportsTools } = client.infoOf(request.model);
      return supportsImages === false || (supportsTools === false && request.tools.length > 0)
        ? callAsFits(client, request, options, fitting)
        : client.call(request, options);
    },
    infoOf: client.infoOf,
    ready: client.ready,
    fastMode: client.fastMode,
    resolve: (name, planning) => resolvedModel(name, config, planning),
    providerOf(name) {
      const { provider } = named(resolvedModel(name, config), config);
      return provider === ownName(config) ? undefined : provider;
    },
    apiMs: () => apiMs,
    sessionApiMs: () => sessionApiMs,
    startSubmission() {
      apiMs = 0;
    },
    close: () => void client.close(),
  };
}

/** For a model that takes no images, or no tools. */
async function* callAsFits(
  client: Pick<ModelClient, 'call' | 'infoOf'>,
  request: ModelRequest,
  options: CallOptions,
  fitting: () => Promise<FitRequest>,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const fitted = await fitting();
  return yield* client.call(fitted(request, client.infoOf(request.model)), options);
}

function givenClient(
  call: CallModel,
  { modelOverrides, betas }: Pick<QueryEngineConfig, 'modelOverrides' | 'betas'>,
  {
    onAttempt,
    spendGuard: guard,
    clock,
  }: {
    readonly onAttempt: (attempt: AttemptRecord) => void;
    readonly spendGuard: SpendGuard | undefined;
    readonly clock: Clock;
  },
): ModelClient {
  const infoOf = (model: string) => modelInfo(model, modelOverrides, undefined, betas);
  const guarded: CallModel =
    guard === undefined
      ? call
      : async function* (request, options) {
          const { guardedCall } = await import('../budget/guarded-call.ts');
          return yield* guardedCall({ call, guard, info: infoOf(request.model), clock }, request, options);
        };
  return {
    call: layered(guarded, [
      {
        after(_, outcome) {
          for (const attempt of outcome?.attempts ?? []) onAttempt(attempt);
          return undefined;
        },
      },
    ]),
    infoOf,
    ready: () => undefined,
    fastMode: () => ({ state: 'on' }),
    close: async () => {},
  };
}
