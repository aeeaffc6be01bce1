/** Whether commands can be isolated on this machine, and whether the settings request it. */
import { machineSettingsFile, type SandboxState, sandboxState } from '@turnwright/engine';
import type { World } from '../world.ts';
import type { CheckResult } from './check-result.ts';

/** As a run of the command line reads the settings. Rejects with `invalid_settings`. */
export async function checkSandbox({ cwd, env }: Pick<World, 'cwd' | 'env'>): Promise<CheckResult> {
  const { asked, required, tried, isolator, why, remedy, ...covers } = await sandboxState({
    cwd,
    env,
    projectTrusted: false,
    trustRecorded: true,
    managedSettingsFile: machineSettingsFile(process.platform),
  });
  const name = 'sandbox';
  if (isolator !== undefined) {
    const use = asked
      ? `on: ${describeConfined(covers)} run isolated`
      : 'off: "sandbox": {"enabled": true} in the settings isolates commands';
    const found = tried ? 'available' : 'found, and not tried in a folder that is not trusted';
    return { name, state: 'ok', detail: `${found} (${isolator}), ${use}` };
  }
  const wanted = !asked
    ? 'the settings do not ask for it'
    : required
      ? 'the settings ask for it, so no session starts'
      : 'the settings ask for it, so commands run WITHOUT isolation';
  const state = asked && required ? 'problem' : 'warning';
  const advice = remedy === undefined ? '' : ` ${remedy}`;
  return { name, state, detail: `not available: ${why}; ${wanted}.${advice}` };
}

/** "commands", "commands and hooks", "commands, hooks and MCP servers" … */
function describeConfined({ hooks, mcpServers }: Pick<SandboxState, 'hooks' | 'mcpServers'>): string {
  const servers =
    mcpServers === 'all'
      ? ['MCP servers']
      : mcpServers.map((name) => `the MCP server ${JSON.stringify(name)}`);
  const names = ['commands', ...(hooks ? ['hooks'] : []), ...servers];
  const last = names.pop();
  return names.length === 0 ? `${last}` : `${names.join(', ')} and ${last}`;
}
