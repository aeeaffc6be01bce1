/**
 * Providers of models: the facts of each type, and of each name that needs no settings, are a row here. How a
 * type is spoken to is a line in `model/wires.ts`.
 */

/** What the rooms must know of a type of provider. */
export interface ProviderFacts {
  /**
   * What says where requests go. `own_address`: its base URL, which has a default. `given_address`: a base
   * URL that the user must give. `cloud`: the variables of a cloud, whatever the base URL is. `program`: a
   * value that the program gives, so that settings alone do not suffice.
   */
  readonly reachedBy: 'own_address' | 'given_address' | 'cloud' | 'program';
  /** The API at its base URL. Absent: Anthropic's Messages API. */
  readonly speaks?: 'openai';
  /** Its models are Claude, and have names such as `opus` there. */
  readonly servesClaude?: true;
  /** Its server searches the web. */
  readonly searchesWeb?: true;
  /**
   * How an answer is kept to a schema by default. `native`: by its API. `by_server`: by its API, at servers
   * that are not known to do so beside tools only without them. Absent: the model passes the value to a tool,
   * so that the streams of Claude models are the same wherever they are asked.
   */
  readonly structuredOutput?: 'native' | 'by_server';
  /** The variable that asks for it, and forbids all others. */
  readonly askedBy?: string;
  /** What sentences call a cloud. */
  readonly title?: string;
  /** Variables of which one is set where a person has an account there. */
  readonly foundBy?: readonly string[];
  /** The variable of its address, where neither options nor settings have one. */
  readonly addressVariable?: string;
  /** The variable of its key, where an address is all that was given. */
  readonly keyVariable?: string;
  /** What records and results call it. Absent: its type. */
  readonly recordedAs?: string;
  /** What spans call it, by the conventions of OpenTelemetry. Absent: as records do. */
  readonly tracedAs?: string;
}

/** The address of a server that takes the place of OpenAI's, as every client of that API reads it. */
const OPENAI_ADDRESS = 'OPENAI_BASE_URL';
/** The key of OpenAI, and of a server that is asked without a provider of a name. */
const OPENAI_KEY = 'OPENAI_API_KEY';

const TYPES = {
  anthropic: {
    reachedBy: 'own_address',
    servesClaude: true,
    searchesWeb: true,
    recordedAs: 'firstParty',
    tracedAs: 'anthropic',
  },
  bedrock: {
    reachedBy: 'cloud',
    servesClaude: true,
    title: 'Amazon Bedrock',
    askedBy: 'CLAUDE_CODE_USE_BEDROCK',
    foundBy: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID'],
    tracedAs: 'aws.bedrock',
  },
  vertex: {
    reachedBy: 'cloud',
    servesClaude: true,
    searchesWeb: true,
    title: 'Google Vertex AI',
    askedBy: 'CLAUDE_CODE_USE_VERTEX',
    foundBy: ['ANTHROPIC_VERTEX_PROJECT_ID', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_APPLICATION_CREDENTIALS'],
    tracedAs: 'gcp.vertex_ai',
  },
  foundry: {
    reachedBy: 'cloud',
    servesClaude: true,
    searchesWeb: true,
    title: 'Microsoft Foundry',
    askedBy: 'CLAUDE_CODE_USE_FOUNDRY',
    foundBy: ['ANTHROPIC_FOUNDRY_RESOURCE', 'ANTHROPIC_FOUNDRY_BASE_URL', 'ANTHROPIC_FOUNDRY_API_KEY'],
    tracedAs: 'azure.ai.inference',
  },
  'openai-compatible': {
    reachedBy: 'given_address',
    speaks: 'openai',
    structuredOutput: 'by_server',
    addressVariable: OPENAI_ADDRESS,
    keyVariable: OPENAI_KEY,
  },
  'ai-sdk': { reachedBy: 'program', structuredOutput: 'native' },
  wire: { reachedBy: 'program' },
} as const satisfies Readonly<Record<string, ProviderFacts>>;

/** How a provider is spoken to. */
export type ProviderType = keyof typeof TYPES;

/** The types that are reached by the variables of a cloud. */
export type CloudName = {
  [Type in ProviderType]: (typeof TYPES)[Type] extends { reachedBy: 'cloud' } ? Type : never;
}[ProviderType];

/** Names that are always known, besides those that the user gives. */
export const PROVIDER_TYPES = Object.keys(TYPES) as [ProviderType, ...ProviderType[]];

/** Whose models are asked where no provider is named. */
export const DEFAULT_PROVIDER = 'anthropic' satisfies ProviderType;

/** Its name in records, where they state none. */
export const DEFAULT_RECORDED = TYPES[DEFAULT_PROVIDER].recordedAs;

/** The type of this name; undefined: there is none. */
export const providerType = (name: string): ProviderType | undefined =>
  Object.hasOwn(TYPES, name) ? (name as ProviderType) : undefined;

/** The facts of a type of provider; none for a name that is not one of the types. */
export const providerFacts = (type: string): Partial<ProviderFacts> =>
  Object.hasOwn(TYPES, type) ? TYPES[type as ProviderType] : {};

/** The cloud that is asked by this type; undefined: it is none. */
export const cloudOf = (type: ProviderType): CloudName | undefined =>
  TYPES[type].reachedBy === 'cloud' ? (type as CloudName) : undefined;

/** Whether its server is at a base URL, where it lists its models and is probed. */
export const hasAddress = (type: ProviderType): boolean => {
  const { reachedBy } = TYPES[type];
  return reachedBy === 'own_address' || reachedBy === 'given_address';
};

/** The name of a provider as usage, costs and accounts state it. */
export const recordedName = (name: string = DEFAULT_PROVIDER): string =>
  providerFacts(name).recordedAs ?? name;

/** The name by which options know what records call so. */
export const namedInOptions = (recorded: string): string =>
  PROVIDER_TYPES.find((type) => recordedName(type) === recorded) ?? recorded;

/** A company, or a server of one's own machine, whose models need no settings. It has OpenAI's APIs. */
export interface NamedProvider {
  /** What sentences call it. */
  readonly title: string;
  readonly baseUrl: string;
  /** Which of OpenAI's APIs, at this address: another server may not have it. Absent: chat completions. */
  readonly api?: 'responses';
  /** The variable of its key. A company is not asked without it. */
  readonly apiKeyEnv: string;
  /** It is a server of one's own machine. */
  readonly isLocal?: true;
  /** The variable of another address: a URL, or of a local server also `host` or `host:port`. */
  readonly addressVariable?: string;
}

/**
 * By the names that their models are qualified with. Not among them: names that are also those of models on
 * local servers (`mistral:7b`), whose prompts would go to a company instead. Local servers are asked for chat
 * completions, which every version of them has.
 */
const NAMED = {
  ollama: {
    title: 'Ollama',
    baseUrl: 'http://localhost:11434/v1',
    apiKeyEnv: 'OLLAMA_API_KEY',
    isLocal: true,
    addressVariable: 'OLLAMA_HOST',
  },
  lmstudio: {
    title: 'LM Studio',
    baseUrl: 'http://localhost:1234/v1',
    apiKeyEnv: 'LM_API_TOKEN',
    isLocal: true,
  },
  llamacpp: {
    title: 'llama.cpp',
    baseUrl: 'http://localhost:8080/v1',
    apiKeyEnv: 'LLAMA_API_KEY',
    isLocal: true,
  },
  vllm: {
    title: 'vLLM',
    baseUrl: 'http://localhost:8000/v1',
    apiKeyEnv: 'VLLM_API_KEY',
    isLocal: true,
  },
  openai: {
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    // Its models reason without a break between calls by this API alone.
    api: 'responses',
    apiKeyEnv: OPENAI_KEY,
    addressVariable: OPENAI_ADDRESS,
  },
  openrouter: {
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
  },
  groq: { title: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', apiKeyEnv: 'GROQ_API_KEY' },
  deepseek: { title: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', apiKeyEnv: 'DEEPSEEK_API_KEY' },
  gemini: {
    title: 'Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apiKeyEnv: 'GEMINI_API_KEY',
  },
  xai: { title: 'xAI', baseUrl: 'https://api.x.ai/v1', apiKeyEnv: 'XAI_API_KEY' },
} as const satisfies Readonly<Record<string, NamedProvider>>;

/** How each of them is spoken to. */
export const NAMED_TYPE = 'openai-compatible' satisfies ProviderType;

/** Providers that need no settings, by name. */
export const NAMED_PROVIDERS: Readonly<Record<string, NamedProvider>> = NAMED;
