/** `turnwright auth status`: with which credentials a run would ask its model. Names are shown, never values. */
import { join } from 'node:path';
import { configurationHome } from '../index.ts';
import { modelVariables } from './configured.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { World } from './world.ts';

export async function authCommand(world: World, asJson: boolean): Promise<ExitCode> {
  const [source] = modelVariables(world.env).filter((name) => name !== 'ANTHROPIC_BASE_URL');
  const home = configurationHome(world.env, world.cwd);
  const status = {
    loggedIn: source !== undefined,
    authMethod: source === 'ANTHROPIC_AUTH_TOKEN' ? 'auth_token' : source === undefined ? 'none' : 'api_key',
    apiProvider: 'firstParty',
    apiKeySource: source ?? 'none',
    configDirectory: home ?? null,
    projectsDirectory: home === undefined ? null : join(home, 'projects'),
  };
  const text = asJson
    ? JSON.stringify(status)
    : source === undefined
      ? 'No credentials: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.'
      : `Credentials from ${source}.`;
  await world.out.write(`${text}\n`);
  return EXIT.success;
}
