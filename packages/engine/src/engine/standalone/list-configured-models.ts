/** What a session of a configuration could ask: the endpoint's models, else those of the built-in list. */
import { modelInfo, resolveModelAlias } from '../../model/catalog/model-info.ts';
import { MODEL_ALIASES, MODEL_LIST } from '../../model/catalog/model-list.ts';
import { listEndpointModels, type OfferedModel } from '../../model/http/list-endpoint-models.ts';
import type { ModelInfo } from '../../protocol/model/model.ts';
import { hasAddress } from '../../protocol/model/provider.ts';
import { DEFAULT_BASE_URL } from '../../settings/resolve/resolved-options.ts';
import type { QueryEngineConfig } from '../config.ts';
import { configuredAccess } from '../models/configured-access.ts';
import { modelFacts, resolvedModel } from '../models/open-model-client.ts';
import { withEndpoint } from './probe-model.ts';

export interface AvailableModels {
  /** That of the configured model: `anthropic`, a cloud, a local server, or a name of the settings. */
  readonly provider: string;
  readonly baseUrl: string;
  /**
   * What the endpoint lists, or what is known without it. Models of another provider than the session's own
   * have the names by which it asks for them: `ollama:qwen3:8b`.
   */
  readonly models: readonly ModelInfo[];
  /** Why the endpoint's list could not be read; absent: `models` is that list. */
  readonly unlisted?: string;
  /** The model of a session that names none. */
  readonly defaultModel: string;
  /** Short names and what they mean here. */
  readonly aliases: Readonly<Record<string, string>>;
}

export async function listConfiguredModels(
  config: QueryEngineConfig,
  signal: AbortSignal,
): Promise<AvailableModels> {
  const { env = {}, betas } = config;
  const { baseUrl, credential, name, prefix, provider, refusal } = configuredAccess(config);
  const overrides = modelFacts(name, config).models;
  const isOpen = baseUrl !== DEFAULT_BASE_URL || credential.apiKey !== undefined;
  const answer =
    refusal !== undefined
      ? { message: refusal }
      : !hasAddress(provider.type)
        ? { message: `The provider ${name} lists no models.` }
        : isOpen || credential.authToken !== undefined
          ? await withEndpoint(config, signal, listEndpointModels)
          : { message: 'No credentials are configured, so the endpoint was not asked.' };
  const infoOf = ({ id, displayName, facts }: OfferedModel): ModelInfo => {
    const info = { ...modelInfo(id, overrides, facts, betas), id: `${prefix}${id}` };
    return displayName === undefined ? info : { ...info, displayName };
  };
  const known = [...MODEL_LIST.map(({ id }) => id), ...Object.keys(config.modelOverrides ?? {})];
  const models =
    'models' in answer
      ? answer.models.map(infoOf)
      : [...new Set(known)].map((model) => modelInfo(model, config.modelOverrides, undefined, betas));
  const aliases = Object.keys(MODEL_ALIASES).map((name) => [name, resolveModelAlias(name, env)]);
  return {
    provider: name,
    baseUrl,
    models,
    ...('message' in answer && { unlisted: answer.message }),
    defaultModel: resolvedModel(config.model, config),
    aliases: Object.fromEntries(aliases),
  };
}
