/** `turnwright auth status`: the source of the credentials of a run. Names are shown, never values. */
import { join } from 'node:path';
import {
  configurationHome,
  DEFAULT_PROVIDER,
  type ModelAccess,
  modelAccess,
  providerFacts,
} from '@turnwright/engine';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { TRUST } from '../run/log-in.ts';
import type { World } from '../world.ts';

const METHODS: Readonly<Record<string, string>> = {
  ANTHROPIC_AUTH_TOKEN: 'auth_token',
  apiKeyHelper: 'api_key_helper',
  login: 'login',
  none: 'none',
};

export async function runAuthCommand(world: World, asJson: boolean): Promise<ExitCode> {
  const access = await modelAccess({ cwd: world.cwd, env: world.env, ...TRUST });
  const { apiKeySource, cloud, provider } = access;
  const source = apiKeySource === 'none' ? undefined : apiKeySource;
  const home = configurationHome(world.env, world.cwd);
  const status = {
    loggedIn: source !== undefined || cloud !== undefined,
    authMethod: cloud === undefined ? (METHODS[apiKeySource] ?? 'api_key') : 'third_party',
    apiProvider: providerFacts(provider).recordedAs ?? provider,
    apiKeySource: source ?? 'none',
    configDirectory: home ?? null,
    projectsDirectory: home === undefined ? null : join(home, 'projects'),
  };
  await world.out.write(`${asJson ? JSON.stringify(status) : describeAccess(access)}\n`);
  return EXIT.success;
}

function describeAccess({ apiKeyEnv, apiKeySource, cloud, provider }: ModelAccess): string {
  if (cloud !== undefined) return `Credentials of ${cloud}; they are read with the first request.`;
  if (apiKeySource !== 'none')
    return `Credentials from ${apiKeySource === 'login' ? 'turnwright login' : apiKeySource}.`;
  if (provider === DEFAULT_PROVIDER)
    return 'No credentials: store a key with turnwright login, or set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or an apiKeyHelper in the settings.';
  const missing = apiKeyEnv === undefined ? 'its settings name none' : `${apiKeyEnv} is not set`;
  return `No credentials for ${provider}: ${missing}. Many local servers ask for none.`;
}
