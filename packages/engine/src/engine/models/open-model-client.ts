/** The client of a session's models: those of its own provider, and of others by their qualified names. */

import { extended } from '@turnwright/base/collections/extended.ts';
import { withoutTrailingSlashes } from '@turnwright/base/text/cut-text.ts';
import { resolveModelAlias } from '../../model/catalog/model-info.ts';
import { createModelClient } from '../../model/create-model-client.ts';
import { type QualifiedModel, qualifiedModel } from '../../model/provider-name.ts';
import { createRoutingClient } from '../../model/routing-client.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { AttemptRecord, ModelInfo } from '../../protocol/model/model.ts';
import type { ModelClient } from '../../protocol/model/model-client.ts';
import {
  DEFAULT_PROVIDER,
  NAMED_PROVIDERS,
  PROVIDER_TYPES,
  providerFacts,
  providerType,
  recordedName,
} from '../../protocol/model/provider.ts';
import { keyNeededBy, namedProvider, type ProviderConfig } from '../../protocol/model/provider-config.ts';
import type { OpenWire } from '../../protocol/model/provider-wire.ts';
import type { SpendGuard } from '../../protocol/model/spend-guard.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import { addressed } from '../../settings/resolve/known-providers.ts';
import { DEFAULT_BASE_URL } from '../../settings/resolve/resolved-options.ts';
import type { QueryEngineConfig } from '../config.ts';
import { formatUserAgent } from '../version.ts';

interface ClientPorts {
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly onAttempt: (attempt: AttemptRecord) => void;
  readonly spendGuard?: SpendGuard | undefined;
}

export function openModelClient(config: QueryEngineConfig, ports: ClientPorts): ModelClient {
  const own = ownProvider(config);
  return createRoutingClient({
    ownName: ownName(config),
    own: createProviderClient(own, recordedName(config.provider), config, ports),
    isProvider: (name) => isProvider(name, config),
    refusal: (name, model) => findRefusal(name, model, config),
    open: (name) => createProviderClient(requireProvider(name, config), recordedName(name), config, ports),
  });
}

/** The session's own provider; its address may be an option. */
export function ownProvider(
  config: Pick<QueryEngineConfig, 'baseUrl' | 'provider' | 'providers'>,
): ProviderConfig {
  const { baseUrl } = config;
  const name = ownName(config);
  const own = config.providers?.[name];
  const type = own?.type ?? providerType(name);
  if (type === undefined || baseUrl === undefined || own?.baseUrl !== undefined)
    return requireProvider(name, config);
  if (providerFacts(type).reachedBy !== 'given_address') return requireProvider(name, config);
  return { ...addressed(type), ...own, baseUrl };
}

export const ownName = ({ provider = DEFAULT_PROVIDER }: Pick<QueryEngineConfig, 'provider'>) => provider;

type Names = Pick<QueryEngineConfig, 'env' | 'provider' | 'providers'>;

/** The id of a model; one of another provider keeps the name that says so. `planning`: plan mode is on. */
export function resolvedModel(name: string | undefined, config: Names, planning = false): string {
  const idOf = (alias: string) => resolveModelAlias(alias, config.env ?? {}, planning);
  const { provider, model } = named(idOf(name ?? 'default'), config);
  return provider === undefined ? model : `${provider}:${idOf(model)}`;
}

export const named = (model: string, config: Names): QualifiedModel =>
  qualifiedModel(model, (name) => isProvider(name, config));

function createProviderClient(
  provider: ProviderConfig,
  name: string,
  config: QueryEngineConfig,
  ports: ClientPorts,
): ModelClient {
  const { reachedBy, speaks } = providerFacts(provider.type);
  // The Messages API at an address is the client's own wire.
  const wire: OpenWire | undefined =
    reachedBy === 'own_address'
      ? undefined
      : async (wirePorts) => (await import('./provider-wires.ts')).openWire(provider, config, wirePorts);
  const given = extended(
    sharedOptions(config, ports),
    modelFacts(name, config),
    resolveAccess(provider, config),
  );
  return createModelClient(
    extended(given, {
      provider: name,
      structuredOutput: schemaMeans(provider),
      modelsRoot: modelsRoot(provider, config),
      ...(wire !== undefined && { wire, looksUpModels: speaks !== undefined }),
    }),
  );
}

const OPENAI = /^https:\/\/(?:api\.openai\.com|[^/]+\.openai\.azure\.com)(?:[:/]|$)/;

/**
 * By which means an answer is kept to a schema. Many compatible servers never call tools beside one, and do
 * not say so.
 */
function schemaMeans({
  type,
  baseUrl = '',
  structuredOutput,
}: ProviderConfig): ModelInfo['structuredOutput'] {
  const { structuredOutput: byDefault } = providerFacts(type);
  const means =
    structuredOutput ?? (byDefault === 'by_server' && OPENAI.test(baseUrl) ? 'native' : byDefault);
  if (means === 'native') return 'with_tools';
  return means === 'by_server' ? 'without_tools' : undefined;
}

/** The path that the list of its models is at the end of. */
export function modelsRoot(provider: ProviderConfig, config: Omit<QueryEngineConfig, 'tools'>): string {
  const { baseUrl } = resolveAccess(provider, config);
  const path = withoutTrailingSlashes(new URL(baseUrl).pathname);
  return providerFacts(provider.type).speaks === 'openai' ? path || '/v1' : `${path}/v1`;
}

/** Why a model must not be asked, in one sentence; undefined: it may. */
function findRefusal(name: string, model: string, config: QueryEngineConfig): string | undefined {
  if (name === ownName(config)) return missing(config) ?? foreignName(model, config);
  return lockedOut(name, config) ?? missingKey(name, config);
}

/** The key of a company is not set; undefined: it is, or the provider needs none. */
export function missingKey(
  name: string,
  config: Pick<QueryEngineConfig, 'baseUrl' | 'env' | 'provider' | 'providerEnv' | 'providers'>,
): string | undefined {
  const provider = requireProvider(name, config);
  const variable = keyNeededBy(name, provider);
  if (variable === undefined || keyIn(variable, config) !== undefined) return undefined;
  return `The provider "${name}" needs a key: set ${variable}. Nothing was sent.`;
}

/** A name that no model of Anthropic has, so that another provider is meant; undefined: it may have it. */
export function foreignName(
  model: string,
  config: Pick<QueryEngineConfig, 'baseUrl' | 'provider' | 'providers'>,
): string | undefined {
  const [, prefix, mark, rest] = /^([^:/]+)([:/])(.+)$/s.exec(model) ?? [];
  if (prefix === undefined || !isFirstParty(config)) return undefined;
  const known = [...PROVIDER_TYPES, ...Object.keys(config.providers ?? {})];
  const meant = mark === '/' && known.includes(prefix) ? ` Did you mean "${prefix}:${rest}"?` : '';
  const says = mark === '/' ? `"${model}" is no model of Anthropic.` : `There is no provider "${prefix}".`;
  return `${says}${meant} Nothing was sent. Known providers are ${[...new Set(known)].join(', ')}; write <provider>:<model>${mark === ':' ? ` (a model of Ollama is ollama:${model})` : ''}, name others under providers in the settings, or set ANTHROPIC_BASE_URL to the server that has "${model}".`;
}

/** Requests of the session's own provider go to Anthropic itself. */
function isFirstParty(config: Pick<QueryEngineConfig, 'baseUrl' | 'provider' | 'providers'>): boolean {
  return isPlain(ownProvider(config)) && (config.baseUrl ?? DEFAULT_BASE_URL) === DEFAULT_BASE_URL;
}

/** A session that was started for the models of another provider sends its prompts to no other one. */
function missing({ isProviderMissing }: Pick<QueryEngineConfig, 'isProviderMissing'>): string | undefined {
  return isProviderMissing === true
    ? 'No credentials for Anthropic are configured, so its models are not asked. Name one of another provider.'
    : undefined;
}

/** Where a variable asks for one cloud, nothing goes elsewhere: not for a fallback, and not for an agent. */
export function lockedOut(
  name: string,
  { provider, providerLockedBy }: Pick<QueryEngineConfig, 'provider' | 'providerLockedBy'>,
): string | undefined {
  if (providerLockedBy === undefined || name === provider) return undefined;
  return `${providerLockedBy} is set, so no model of the provider "${name}" is asked. Unset it to use others.`;
}

/** A company's name means that company, also where no settings were read. */
function providerIn(
  providers: NonNullable<QueryEngineConfig['providers']>,
  name: string,
): ProviderConfig | undefined {
  if (Object.hasOwn(providers, name)) return providers[name];
  return NAMED_PROVIDERS[name]?.isLocal === true ? undefined : namedProvider(name);
}

/** Whether a name of a model may begin with this one and a colon. */
function isProvider(name: string, { providers = {} }: Pick<QueryEngineConfig, 'providers'>): boolean {
  return providerIn(providers, name) !== undefined || providerType(name) !== undefined;
}

export function requireProvider(
  name: string,
  { providers = {} }: Pick<QueryEngineConfig, 'providers'>,
): ProviderConfig {
  const named = providerIn(providers, name);
  const type = named?.type ?? providerType(name);
  if (type === undefined)
    throw new TurnwrightError('invalid_option', `There is no provider "${name}". Name it under providers.`);
  const { addressVariable, reachedBy } = providerFacts(type);
  if (reachedBy === 'given_address' && named?.baseUrl === undefined)
    throw new TurnwrightError(
      'invalid_option',
      named === undefined
        ? `The provider "${name}" needs the address of its API: --base-url, or ${addressVariable}.`
        : `The provider "${name}" needs the address of its API: baseUrl.`,
    );
  return { ...named, type };
}

export interface ProviderAccess {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly authToken?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Anthropic's API by the usual variables, options and settings. */
export function isPlain({ type, baseUrl, apiKeyEnv }: ProviderConfig): boolean {
  return type === DEFAULT_PROVIDER && baseUrl === undefined && apiKeyEnv === undefined;
}

const keyIn = (variable: string, { providerEnv, env }: Pick<QueryEngineConfig, 'env' | 'providerEnv'>) =>
  (providerEnv ?? env)?.[variable]?.trim() || undefined;

/** Address and credentials. What belongs to one provider is never sent to another. */
export function resolveAccess(provider: ProviderConfig, config: Omit<QueryEngineConfig, 'tools'>) {
  const { type, baseUrl, apiKeyEnv, headers } = provider;
  if (isPlain(provider)) return anthropicAccess(config);
  const key = apiKeyEnv === undefined ? undefined : keyIn(apiKeyEnv, config);
  const address = baseUrl ?? DEFAULT_BASE_URL;
  return {
    baseUrl: providerFacts(type).speaks === 'openai' ? address : address.replace(/\/v1\/*$/, ''),
    ...(key && (type === DEFAULT_PROVIDER ? { apiKey: key } : { authToken: key })),
    ...(headers !== undefined && { headers }),
  };
}

/** Of Anthropic's API, or of the server that takes its place (`ANTHROPIC_BASE_URL`). */
function anthropicAccess(config: Omit<QueryEngineConfig, 'tools'>) {
  const isOwn = ownProvider(config).type === DEFAULT_PROVIDER;
  return {
    baseUrl: (isOwn ? config.baseUrl : undefined) ?? DEFAULT_BASE_URL,
    ...(config.apiKey !== undefined && { apiKey: config.apiKey }),
    ...(config.authToken !== undefined && { authToken: config.authToken }),
    ...(config.headers !== undefined && { headers: config.headers }),
    ...(config.credentials !== undefined && { credentials: config.credentials }),
    ...(config.credentialTtlMs !== undefined && { credentialTtlMs: config.credentialTtlMs }),
  };
}

/** What holds for every provider. */
function sharedOptions(config: QueryEngineConfig, ports: ClientPorts) {
  return extended(ports, {
    userAgent: formatUserAgent(config),
    ...(config.stderr !== undefined && { onAdapted: config.stderr }),
    ...(config.spans !== undefined && { traceparentOf: config.spans.traceparentOf }),
    ...(config.debug !== undefined && { onLookedUp: config.debug.lookedUp }),
    ...(config.proxyUrl !== undefined && { proxyUrl: config.proxyUrl }),
    ...(config.noProxy !== undefined && { noProxy: config.noProxy }),
    ...(config.ca !== undefined && { ca: config.ca }),
    ...(config.promptCacheTtl !== undefined && { cacheTtl: config.promptCacheTtl }),
    ...(config.promptCaching !== undefined && { promptCaching: config.promptCaching }),
    ...(config.extraBody !== undefined && { extraBody: config.extraBody }),
    ...(config.messageThreads !== undefined && { messageThreads: config.messageThreads }),
    ...(config.betas !== undefined && { betas: config.betas }),
    ...(config.admission !== undefined && { admission: config.admission }),
    ...(config.maxRetries !== undefined && { maxRetries: config.maxRetries }),
    ...(config.unreachedRetries !== undefined && { unreachedRetries: config.unreachedRetries }),
    ...(config.persistentRetry !== undefined && { persistentRetry: config.persistentRetry }),
    ...(config.timeouts !== undefined && { timeouts: config.timeouts }),
  });
}

/** What is configured of single models. A client knows its models by names without the provider. */
export function modelFacts(
  provider: string,
  { modelOverrides = {}, modelTimeouts = {} }: Pick<QueryEngineConfig, 'modelOverrides' | 'modelTimeouts'>,
) {
  return {
    models: unqualified(provider, modelOverrides),
    ...(Object.keys(modelTimeouts).length > 0 && {
      timeoutsFor: (model: string) => modelTimeouts[`${provider}:${model}`] ?? modelTimeouts[model],
    }),
  };
}

/** With what is said of a qualified name under the name itself. */
function unqualified<T>(provider: string, facts: Readonly<Record<string, T>>): Record<string, T> {
  const prefix = `${provider}:`;
  const own = Object.entries(facts).filter(([name]) => name.startsWith(prefix));
  return { ...facts, ...Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])) };
}
