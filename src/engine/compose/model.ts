import { createModelClient, type ModelClient, type ModelClientOptions } from '../../model/client.ts';
import { modelInfo, resolveModelAlias } from '../../model/model-info.ts';
import type { CallModel, ModelOutcome, ModelOutput } from '../../protocol/model.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
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
  return {
    call: (request, options) =>
      noting(client.call(request, options), ({ attempts }) => {
        for (const { startMs, endMs } of attempts) apiMs += endMs - startMs;
      }),
    infoOf: client.infoOf,
    ready: client.ready,
    resolve: (name) => resolveModelAlias(name ?? 'default', config.env ?? {}),
    apiMs: () => apiMs,
    startSubmission() {
      apiMs = 0;
    },
    close: () => void client.close(),
  };
}

/** The same outputs; sees the outcome. A generator of its own would cost every batch three promises. */
function noting(
  outputs: AsyncGenerator<ModelOutput, ModelOutcome>,
  note: (outcome: ModelOutcome) => void,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const seen = (step: IteratorResult<ModelOutput, ModelOutcome>) => {
    if (step.done === true && step.value !== undefined) note(step.value);
    return step;
  };
  const noted: AsyncGenerator<ModelOutput, ModelOutcome> = {
    next: () => outputs.next().then(seen),
    return: (value) => outputs.return(value),
    throw: (error) => outputs.throw(error),
    [Symbol.asyncIterator]: () => noted,
    [Symbol.asyncDispose]: async () => void (await outputs.return(undefined as never)),
  };
  return noted;
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
