import { layered } from '../../model/call-layers.ts';
import { modelInfo, resolveModelAlias } from '../../model/catalog/model-info.ts';
import { qualifiedModel } from '../../model/provider-name.ts';
import type {
  AttemptRecord,
  CallModel,
  CallOptions,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '../../protocol/model/model.ts';
import type { ModelClient } from '../../protocol/model/model-client.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { QueryEngineConfig } from '../config.ts';
import { isProvider, openModelClient } from '../models/open-model-client.ts';
import type { ModelPort } from '../models/session-model.ts';

export function composeModel(
  config: QueryEngineConfig,
  ports: { readonly clock: Clock; readonly random: RandomPort },
): ModelPort {
  let apiMs = 0;
  let sessionApiMs = 0;
  const onAttempt = ({ startMs, endMs }: AttemptRecord) => {
    apiMs += endMs - startMs;
    sessionApiMs += endMs - startMs;
  };
  const client =
    config.callModel === undefined
      ? openModelClient(config, { ...ports, onAttempt })
      : givenClient(config.callModel, config, onAttempt);
  return {
    call: (request, options) =>
      client.infoOf(request.model).supportsImages === false
        ? callWithoutImages(client.call, request, options)
        : client.call(request, options),
    infoOf: client.infoOf,
    ready: client.ready,
    fastMode: client.fastMode,
    resolve: (name) => resolvedModel(name ?? 'default', config),
    apiMs: () => apiMs,
    sessionApiMs: () => sessionApiMs,
    startSubmission() {
      apiMs = 0;
    },
    close: () => void client.close(),
  };
}

/** For a model that takes no images: the history is rendered without them. */
async function* callWithoutImages(
  call: CallModel,
  request: ModelRequest,
  options: CallOptions,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const { withoutImages } = await import('../../context/media/view-without-images.ts');
  return yield* call({ ...request, view: withoutImages(request.view) }, options);
}

function givenClient(
  call: CallModel,
  { modelOverrides, betas }: Pick<QueryEngineConfig, 'modelOverrides' | 'betas'>,
  onAttempt: (attempt: AttemptRecord) => void,
): ModelClient {
  return {
    call: layered(call, [
      {
        after(_, outcome) {
          for (const attempt of outcome?.attempts ?? []) onAttempt(attempt);
          return undefined;
        },
      },
    ]),
    infoOf: (model) => modelInfo(model, modelOverrides, undefined, betas),
    ready: () => undefined,
    fastMode: () => ({ state: 'on' }),
    close: async () => {},
  };
}

/** The id of a model; one of another provider keeps the name that says so. */
function resolvedModel(name: string, config: Pick<QueryEngineConfig, 'env' | 'providers'>): string {
  const { provider, model } = qualifiedModel(name.trim(), (each) => isProvider(each, config));
  const resolved = resolveModelAlias(model, config.env ?? {});
  return provider === undefined ? resolved : `${provider}:${resolved}`;
}
