/** Companies whose models need no settings: the key is in the variable that their own clients read. */
import type { ProviderConfig } from '../../protocol/model/provider.ts';

interface Vendor {
  readonly baseUrl: string;
  /** The variable of its key. */
  readonly apiKeyEnv: string;
}

/**
 * By the names that their models are qualified with. Not among them: names that are also those of models on
 * local servers (`mistral:7b`), whose prompts would go to a company instead.
 */
const VENDORS: Readonly<Record<string, Vendor>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
  },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', apiKeyEnv: 'GROQ_API_KEY' },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', apiKeyEnv: 'DEEPSEEK_API_KEY' },
  gemini: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    apiKeyEnv: 'GEMINI_API_KEY',
  },
  xai: { baseUrl: 'https://api.x.ai/v1', apiKeyEnv: 'XAI_API_KEY' },
};

/** The address of a server that takes the place of OpenAI's, as every client of that API reads it. */
export const OPENAI_ADDRESS = 'OPENAI_BASE_URL';
/** The key of OpenAI, and of a server that is asked without a provider of a name. */
export const OPENAI_KEY = 'OPENAI_API_KEY';

/** @param openAiAddress The value of `OPENAI_BASE_URL`. */
export function knownVendors(openAiAddress: string | undefined): Readonly<Record<string, ProviderConfig>> {
  const vendors: Record<string, ProviderConfig> = {};
  for (const [prefix, { baseUrl, apiKeyEnv }] of Object.entries(VENDORS))
    vendors[prefix] = { type: 'openai-compatible', baseUrl, apiKeyEnv };
  // Its models reason without a break between calls by this API alone; other servers may not have it.
  vendors['openai'] = { ...vendors['openai'], type: 'openai-compatible', api: 'responses' };
  if (openAiAddress === undefined) return vendors;
  const moved: ProviderConfig = {
    type: 'openai-compatible',
    baseUrl: openAiAddress,
    apiKeyEnv: OPENAI_KEY,
  };
  const isOpenAi = openAiAddress.startsWith('https://api.openai.com');
  return {
    ...vendors,
    openai: isOpenAi ? { ...moved, api: 'responses' } : moved,
    'openai-compatible': moved,
  };
}

/** Of a company that is asked where it lives: without its key nothing can be asked. */
export function keyNeededBy(name: string, { baseUrl }: ProviderConfig): string | undefined {
  const vendor = Object.hasOwn(VENDORS, name) ? VENDORS[name] : undefined;
  return vendor?.baseUrl === baseUrl ? vendor?.apiKeyEnv : undefined;
}
