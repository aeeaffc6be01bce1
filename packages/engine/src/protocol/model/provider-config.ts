/** How a provider is reached: what its user says of it, or what is known of its name. */
import { NAMED_PROVIDERS, NAMED_TYPE, type ProviderType, providerFacts } from './provider.ts';
import type { OwnWire } from './provider-wire.ts';

/** A provider of models, by the name that its models are qualified with (`local:qwen3:8b`). */
export interface ProviderConfig {
  /**
   * How it is spoken to. `anthropic`: the Messages API, of Anthropic or of any server that has it.
   * `openai-compatible`: chat completions or responses. `bedrock`, `vertex` and `foundry`: by the variables
   * of these clouds. `ai-sdk`: a language model of the AI SDK, as `languageModel`. `wire`: what the program
   * itself says to an API, as `wire`.
   */
  readonly type: ProviderType;
  /** Of its API, absolute. Required by `openai-compatible`; default of `anthropic` its own. */
  readonly baseUrl?: string | undefined;
  /** Of `openai-compatible`: which of its APIs. Default `chat`. */
  readonly api?: 'chat' | 'responses' | undefined;
  /** The variable of the environment that holds its key. Default none: requests carry no key. */
  readonly apiKeyEnv?: string | undefined;
  /**
   * How `outputFormat` is obtained. `native`: its API keeps the answer to the schema, also beside tools.
   * `tool`: the model passes the value to a tool. Default: `native` at OpenAI, Azure OpenAI and for `ai-sdk`;
   * at other `openai-compatible` servers `native` where a request has no other tools; else `tool`.
   */
  readonly structuredOutput?: 'native' | 'tool' | undefined;
  /** Headers of each request; they override the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Of `ai-sdk`: the instance, or a function that makes it for the name of a model. Not in settings files.
   */
  readonly languageModel?: unknown;
  /** Of `ai-sdk`: options of its package for every call, such as `{ openai: { store: false } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /** Of `wire`: makes the wire, once a session. Not in settings files. */
  readonly wire?: OwnWire | undefined;
}

/** The API that is spoken at the base URL of a provider, in words, and where it answers. */
export function spokenApi({ type, api }: Pick<ProviderConfig, 'type' | 'api'>) {
  if (providerFacts(type).speaks !== 'openai') return { api: 'messages', path: '/messages' } as const;
  if (api === 'responses') return { api: 'responses', path: '/responses' } as const;
  return { api: 'chat completions', path: '/chat/completions' } as const;
}

/** How each of them is reached where it is by default. */
const CONFIGS: Readonly<Record<string, ProviderConfig>> = Object.fromEntries(
  Object.entries(NAMED_PROVIDERS).map(([name, { api, apiKeyEnv, baseUrl }]) => [
    name,
    { type: NAMED_TYPE, baseUrl, apiKeyEnv, ...(api !== undefined && { api }) },
  ]),
);

/** How the provider of this name is reached without any settings; undefined: it cannot be. */
export const namedProvider = (name: string): ProviderConfig | undefined =>
  Object.hasOwn(CONFIGS, name) ? CONFIGS[name] : undefined;

/** The key without which nothing can be asked: that of a company at its own address; undefined: none is. */
export function keyNeededBy(name: string, { baseUrl }: ProviderConfig): string | undefined {
  const row = Object.hasOwn(NAMED_PROVIDERS, name) ? NAMED_PROVIDERS[name] : undefined;
  return row?.isLocal !== true && row?.baseUrl === baseUrl ? row?.apiKeyEnv : undefined;
}
