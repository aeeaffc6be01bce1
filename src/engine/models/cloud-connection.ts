/** The cloud that a session asks, and with what: by the variables and settings of its user. */
import { cloudAccess } from '../../model/cloud/access.ts';
import type { CloudAccess, CloudName } from '../../model/cloud/cloud-setup.ts';
import type { QueryEngineConfig } from '../config.ts';
import { runCredentialCommand } from './api-key-helper.ts';
import { userAgentOf } from './user-agent.ts';

/** A package of the user is looked for, not loaded; nothing is sent. */
export function cloudConnection(name: CloudName, config: Omit<QueryEngineConfig, 'tools'>): CloudAccess {
  const {
    ca,
    childEnv = {},
    credentialCommands = {},
    cwd,
    env = {},
    extraBody,
    headers = {},
    noProxy,
    promptCacheTtl,
    promptCaching,
    proxyUrl,
  } = config;
  return cloudAccess(name, {
    env: config.providerEnv ?? env,
    userAgent: userAgentOf(config),
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
