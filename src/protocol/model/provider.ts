/** Providers of models: how each is named and reached. */

/** Names that are always known, besides those that the user gives. */
export const PROVIDER_TYPES = [
  'anthropic',
  'bedrock',
  'vertex',
  'foundry',
  'openai-compatible',
  'ai-sdk',
] as const;

export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** A provider of models, by the name that its models are qualified with (`local:qwen3:8b`). */
export interface ProviderConfig {
  /**
   * How it is spoken to. `anthropic`: the Messages API, of Anthropic or of any server that has it.
   * `openai-compatible`: chat completions or responses. `bedrock`, `vertex` and `foundry`: by the variables
   * of these clouds. `ai-sdk`: a language model of the AI SDK, as `languageModel`.
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
}
