/** `turnwright auth status`: the source of the credentials of a run. Names are shown, never values. */
import { join } from 'node:path';
import { configurationHome, modelAccess } from '../../index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { TRUST } from '../run/log-in.ts';
import type { World } from '../world.ts';

const METHODS: Readonly<Record<string, string>> = {
  ANTHROPIC_AUTH_TOKEN: 'auth_token',
  apiKeyHelper: 'api_key_helper',
  login: 'login',
  none: 'none',
};

export async function authCommand(world: World, asJson: boolean): Promise<ExitCode> {
  const { apiKeySource, provider } = await modelAccess({ cwd: world.cwd, env: world.env, ...TRUST });
  const source = apiKeySource === 'none' ? undefined : apiKeySource;
  const home = configurationHome(world.env, world.cwd);
  const status = {
    loggedIn: source !== undefined,
    authMethod: METHODS[apiKeySource] ?? 'api_key',
    apiProvider: provider === 'anthropic' ? 'firstParty' : provider,
    apiKeySource: source ?? 'none',
    configDirectory: home ?? null,
    projectsDirectory: home === undefined ? null : join(home, 'projects'),
  };
  const text = asJson
    ? JSON.stringify(status)
    : source === undefined
      ? 'No credentials: store a key with turnwright login, or set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or an apiKeyHelper in the settings.'
      : `Credentials from ${source === 'login' ? 'turnwright login' : source}.`;
  await world.out.write(`${text}\n`);
  return EXIT.success;
}
