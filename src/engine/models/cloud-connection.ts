/** The cloud that a session asks, and with what: by the variables and settings of its user. */
import { cloudAccess } from '../../model/cloud/access.ts';
import type { CloudAccess, CloudName } from '../../model/cloud/cloud-setup.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import { VERSION } from '../version.ts';
import { runCredentialCommand } from './api-key-helper.ts';

/** A package of the user is looked for, not loaded; nothing is sent. */
export function cloudConnection(
  name: CloudName,
  { config, providerEnv, credentialCommands }: Resolution,
): CloudAccess {
  const {
    ca,
    childEnv,
    cwd,
    extraBody,
    headers = {},
    noProxy,
    promptCacheTtl,
    promptCaching,
    proxyUrl,
  } = config;
  return cloudAccess(name, {
    env: providerEnv,
    userAgent: `turnwright/${VERSION}`,
    headers,
    caching: promptCaching !== false,
    cacheTtl: promptCacheTtl ?? '5m',
    extraBody,
    proxyUrl,
    noProxy,
    ca,
    commands: credentialCommands,
    async runCommand(command, limitMs) {
      const { exitCode, stdout } = await runCredentialCommand(command, { cwd, env: childEnv, limitMs });
      if (exitCode === 0) return stdout;
      throw new Error(`the command \`${command}\` failed (exit code ${exitCode})`);
    },
  });
}
