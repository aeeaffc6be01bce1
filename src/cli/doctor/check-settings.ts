/** Settings without effect, and the MCP servers of a run. None is started. */
import { listMcpServers, type McpServerStatus, machineSettingsFile } from '../../index.ts';
import type { World } from '../world.ts';
import type { CheckResult } from './check.ts';

/**
 * As a run of the command line reads the settings. `running`: the servers of a session, which are reported in
 * place of those that the settings name. Rejects with `invalid_settings`.
 */
export async function checkSettings(
  { cwd, env }: Pick<World, 'cwd' | 'env'>,
  running?: readonly McpServerStatus[],
): Promise<readonly CheckResult[]> {
  const warnings: string[] = [];
  const servers = await listMcpServers({
    cwd,
    env,
    projectTrusted: false,
    trustRecorded: true,
    managedSettingsFile: machineSettingsFile(process.platform),
    stderr: (line) => warnings.push(line),
  });
  const unusable = servers.filter(({ problem }) => problem !== undefined);
  const usable = servers.filter(({ problem }) => problem === undefined);
  return [
    ...(warnings.length === 0
      ? [{ name: 'settings', state: 'ok', detail: 'every key is known' } as const]
      : warnings.map((detail) => ({ name: 'settings', state: 'warning', detail }) as const)),
    ...unusable.map(
      ({ name, problem = '' }) => ({ name: 'MCP', state: 'problem', detail: `${name}: ${problem}` }) as const,
    ),
    ...(running !== undefined && running.length > 0
      ? running.map(statusOf)
      : usable.length === 0 && unusable.length > 0
        ? []
        : [{ name: 'MCP servers', state: 'ok', detail: namesOf(usable) } as const]),
  ];
}

function statusOf({ name, status, error }: McpServerStatus): CheckResult {
  const state = status === 'connected' ? 'ok' : status === 'failed' ? 'problem' : 'warning';
  return { name: 'MCP', state, detail: `${name}: ${status}${error === undefined ? '' : `: ${error}`}` };
}

function namesOf(servers: readonly { readonly name: string; readonly target: string }[]): string {
  if (servers.length === 0) return 'none configured';
  return `${servers.map(({ name, target }) => `${name} (${target})`).join(', ')}; not started`;
}
