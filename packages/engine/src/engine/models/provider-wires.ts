/** How a provider is reached with what a session is configured with. Loaded when it is asked first. */

import type { WireAccess } from '../../model/wire-setup.ts';
import { reachProvider } from '../../model/wires.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { ProviderConfig } from '../../protocol/model/provider-config.ts';
import type { Wire, WirePorts } from '../../protocol/model/provider-wire.ts';
import type { QueryEngineConfig } from '../config.ts';
import { formatUserAgent } from '../version.ts';
import { runCredentialCommand } from './api-key-helper.ts';

/** Of any provider but those of the Messages API over our own HTTP, which is the client's own wire. */
export async function openWire(
  provider: ProviderConfig,
  config: QueryEngineConfig,
  ports: WirePorts,
): Promise<Wire> {
  const access = await providerAccess(provider, config);
  if ('problem' in access) throw new TurnwrightError('invalid_settings', access.problem);
  return access.open(ports);
}

/** A package of the user is looked for, not loaded; nothing is sent. */
export function providerAccess(
  provider: ProviderConfig,
  config: Omit<QueryEngineConfig, 'tools'>,
): Promise<WireAccess> {
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
  return reachProvider({
    provider,
    env: config.providerEnv ?? env,
    userAgent: formatUserAgent(config),
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
