import { createModelClient, type ModelClient, type ModelClientOptions } from '../../model/client.ts';
import { modelInfo, resolveModelAlias } from '../../model/model-info.ts';
import type { CallModel } from '../../protocol/model.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import { continued } from '../../util/continued.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ModelPort } from '../parts.ts';
import { VERSION } from '../version.ts';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';

export function composeModel(
  config: QueryEngineConfig,
  ports: { readonly clock: Clock; readonly random: RandomPort },
): ModelPort {
  const client =
    config.callModel === undefined
      ? createModelClient(clientOptions(config, ports))
      : givenClient(config.callModel, config.modelOverrides);
  let apiMs = 0;
  let sessionApiMs = 0;
  return {
    call: (request, options) =>
      continued(client.call(request, options), (outcome) => {
        const ms = outcome.attempts.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
        apiMs += ms;
        sessionApiMs += ms;
        return { kind: 'ends', result: outcome };
      }),
    infoOf: client.infoOf,
    ready: client.ready,
    resolve: (name) => resolveModelAlias(name ?? 'default', config.env ?? {}),
    apiMs: () => apiMs,
    sessionApiMs: () => sessionApiMs,
    startSubmission() {
      apiMs = 0;
    },
    close: () => void client.close(),
  };
}

function givenClient(call: CallModel, overrides: QueryEngineConfig['modelOverrides']): ModelClient {
  return {
    call,
    infoOf: (model) => modelInfo(model, overrides),
    ready: () => undefined,
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
    ...(config.admission !== undefined && { admission: config.admission }),
    ...(config.maxRetries !== undefined && { maxRetries: config.maxRetries }),
    ...(config.persistentRetry !== undefined && { persistentRetry: config.persistentRetry }),
    ...(config.timeouts !== undefined && { timeouts: config.timeouts }),
    ...(config.modelOverrides !== undefined && { models: config.modelOverrides }),
  };
}
