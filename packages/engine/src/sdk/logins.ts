/** Credentials of the model that a user stores for later runs. A session uses them and never changes them. */
import { resolve } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { KeptLoginsInput, Login, ModelToKeep } from '../engine/standalone/kept-logins.ts';
import type { EndpointAnswer } from '../engine/standalone/probe-model.ts';
import { DEFAULT_PROVIDER } from '../protocol/model/provider.ts';
import { loadConfig } from './open-engine.ts';
import { resolvePlace } from './process-place.ts';
import type { Options } from './query-options.ts';

export type { Login, ModelToKeep };

/** The environment decides where the configuration home is. */
export type LoginPlace = Pick<Options, 'cwd' | 'env'>;

// Loaded on first use: few programs call these functions.
const load = () => import('../engine/standalone/kept-logins.ts');

/**
 * Stores a key or a token for the API at `baseUrl`, in the place of an earlier one. Sessions that read the
 * user's settings use it when neither options, nor the environment, nor settings give a credential, and only
 * for this address. Resolves with the file, which only its owner can read (0600). Rejects with
 * `invalid_option` when there is no configuration home, or it lies in the project, and with
 * `invalid_settings` when the file is a link.
 *
 * @example
 * await storeLogin('https://api.anthropic.com', { apiKey: 'sk-ant-…' });
 */
export async function storeLogin(baseUrl: string, login: Login, place: LoginPlace = {}): Promise<string> {
  return (await load()).keepLogin(baseUrl, login, toLoginsInput(place));
}

/**
 * Sends one or two requests to find out whether the API at `baseUrl` accepts it; without cost. The user's
 * settings decide about proxy and certificates.
 */
export async function checkLogin(
  baseUrl: string,
  { apiKey, authToken }: Login,
  { signal, ...place }: LoginPlace & { readonly signal: AbortSignal },
): Promise<EndpointAnswer> {
  const { probeConfiguredModel } = await import('../engine/standalone/probe-model.ts');
  const engine = { baseUrl, apiKey, authToken };
  return probeConfiguredModel(
    await loadConfig({ ...place, settingSources: ['user'], provider: DEFAULT_PROVIDER, engine }),
    signal,
  );
}

/**
 * Removes what is stored for this address, or for every one. Resolves with the addresses whose credentials
 * were removed.
 */
export async function removeLogin(
  baseUrl: string | 'all',
  place: LoginPlace = {},
): Promise<readonly string[]> {
  return (await load()).forgetLogin(baseUrl, toLoginsInput(place));
}

/**
 * Sets `apiKeyHelper` in the user's settings: a command that prints an API key. Resolves with the file.
 * Rejects with `invalid_settings` when the file cannot be read as settings.
 */
export async function storeApiKeyHelper(command: string, place: LoginPlace = {}): Promise<string> {
  return (await load()).keepApiKeyHelper(command, toLoginsInput(place));
}

/**
 * Sets `provider` and `model` in the user's settings, those that are given. Resolves with the file. Rejects
 * like `storeApiKeyHelper`.
 *
 * @example
 * await storeModelChoice({ model: 'ollama:qwen3:8b' });
 */
export async function storeModelChoice(choice: ModelToKeep, place: LoginPlace = {}): Promise<string> {
  return (await load()).keepModelChoice(choice, toLoginsInput(place));
}

function toLoginsInput(place: LoginPlace): KeptLoginsInput {
  const { cwd, env } = resolvePlace(place);
  return { cwd: resolve(cwd), env, files: nodeFiles };
}
