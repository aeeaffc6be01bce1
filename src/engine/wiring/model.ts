import { layered } from '../../model/call-layers.ts';
import { modelInfo, resolveModelAlias } from '../../model/catalog/model-info.ts';
import { createModelClient, type ModelClientOptions } from '../../model/client.ts';
import type { AttemptRecord, CallModel } from '../../protocol/model/model.ts';
import type { ModelClient } from '../../protocol/model/model-client.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import { DEFAULT_BASE_URL } from '../../settings/resolve/resolved-options.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ModelPort } from '../models/session-model.ts';
import { VERSION } from '../version.ts';

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
      ? createModelClient({ ...clientOptions(config, ports), onAttempt })
      : givenClient(config.callModel, config, onAttempt);
  return {
    call: client.call,
    infoOf: client.infoOf,
    ready: client.ready,
    fastMode: client.fastMode,
    resolve: (name) => resolveModelAlias(name ?? 'default', config.env ?? {}),
    apiMs: () => apiMs,
    sessionApiMs: () => sessionApiMs,
    startSubmission() {
      apiMs = 0;
    },
    close: () => void client.close(),
  };
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

function clientOptions(
  config: QueryEngineConfig,
  { clock, random }: { readonly clock: Clock; readonly random: RandomPort },
): ModelClientOptions {
  return {
    baseUrl: config.baseUrl ?? DEFAULT_BASE_URL,
    clock,
    random,
    userAgent: config.userAgent ?? `turnwright/${VERSION}`,
    ...(config.apiKey !== undefined && { apiKey: config.apiKey }),
    ...(config.authToken !== undefined && { authToken: config.authToken }),
    ...(config.headers !== undefined && { headers: config.headers }),
    ...(config.credentials !== undefined && { credentials: config.credentials }),
    ...(config.proxyUrl !== undefined && { proxyUrl: config.proxyUrl }),
    ...(config.noProxy !== undefined && { noProxy: config.noProxy }),
    ...(config.ca !== undefined && { ca: config.ca }),
    ...(config.promptCacheTtl !== undefined && { cacheTtl: config.promptCacheTtl }),
    ...(config.promptCaching !== undefined && { promptCaching: config.promptCaching }),
    ...(config.extraBody !== undefined && { extraBody: config.extraBody }),
    ...(config.openWire !== undefined && { wire: config.openWire }),
    ...(config.betas !== undefined && { betas: config.betas }),
    ...(config.admission !== undefined && { admission: config.admission }),
    ...(config.maxRetries !== undefined && { maxRetries: config.maxRetries }),
    ...(config.unreachedRetries !== undefined && { unreachedRetries: config.unreachedRetries }),
    ...(config.persistentRetry !== undefined && { persistentRetry: config.persistentRetry }),
    ...(config.timeouts !== undefined && { timeouts: config.timeouts }),
    ...(config.modelOverrides !== undefined && { models: config.modelOverrides }),
  };
}
