/** `turnwright auth status`: the source of the credentials of a run. Names are shown, never values. */
import { join } from 'node:path';
import { configurationHome, modelAccess } from '../../index.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { World } from '../world.ts';

/** The same trust as a run of the command line. */
const TRUST = { projectTrusted: false, trustRecorded: true } as const;

export async function authCommand(world: World, asJson: boolean): Promise<ExitCode> {
  const { apiKeySource, provider } = await modelAccess({ cwd: world.cwd, env: world.env, ...TRUST });
  const source = apiKeySource === 'none' ? undefined : apiKeySource;
  const home = configurationHome(world.env, world.cwd);
  const status = {
    loggedIn: source !== undefined,
    authMethod:
      source === 'ANTHROPIC_AUTH_TOKEN'
        ? 'auth_token'
        : source === undefined
          ? 'none'
          : source === 'apiKeyHelper'
            ? 'api_key_helper'
            : 'api_key',
    apiProvider: provider === 'anthropic' ? 'firstParty' : provider,
    apiKeySource: source ?? 'none',
    configDirectory: home ?? null,
    projectsDirectory: home === undefined ? null : join(home, 'projects'),
  };
  const text = asJson
    ? JSON.stringify(status)
    : source === undefined
      ? 'No credentials: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or an apiKeyHelper in the settings.'
      : `Credentials from ${source}.`;
  await world.out.write(`${text}\n`);
  return EXIT.success;
}
