/** Settings without effect, and the MCP servers of a run. None is started. */
import {
  type LanguageServerStatus,
  listMcpServers,
  type McpServerStatus,
  machineSettingsFile,
  projectTrust,
  type Query,
} from '@turnwright/engine';
import { notUsed } from '../run/trust-question.ts';
import type { World } from '../world.ts';
import type { CheckResult } from './check-result.ts';

/** What a running session has, which is more than the settings name. */
export interface RunningSession {
  readonly languages: readonly LanguageServerStatus[];
  readonly servers: readonly McpServerStatus[];
  readonly hooks: Awaited<ReturnType<Query['hooksListing']>>;
}

/**
 * As a run of the command line reads the settings. `running`: a session, whose servers and hooks are reported
 * in place of those that the settings name. Rejects with `invalid_settings`.
 */
export async function checkSettings(
  { cwd, env }: Pick<World, 'cwd' | 'env'>,
  running?: RunningSession,
): Promise<readonly CheckResult[]> {
  const warnings: string[] = [];
  const runsProject = running?.hooks.hooks.some(
    ({ source, disabled }) =>
      disabled !== true && (source === 'projectSettings' || source === 'localSettings'),
  );
  const [servers, trust] = await Promise.all([
    listMcpServers({
      cwd,
      env,
      projectTrusted: runsProject === true,
      trustRecorded: true,
      managedSettingsFile: machineSettingsFile(process.platform),
      stderr: (line) => warnings.push(line),
    }),
    projectTrust({ cwd, env }),
  ]);
  const unusable = servers.filter(({ problem }) => problem !== undefined);
  const usable = servers.filter(({ problem }) => problem === undefined);
  return [
    ...(warnings.length === 0
      ? [{ name: 'settings', state: 'ok', detail: 'every key is known' } as const]
      : warnings.map((detail) => ({ name: 'settings', state: 'warning', detail }) as const)),
    ...notUsed(trust.unused ?? []).map(
      (line) => ({ name: 'settings', state: 'warning', detail: `${trust.root}: ${line.trim()}` }) as const,
    ),
    ...checkHooks(running),
    ...(trust.lapsed === undefined
      ? []
      : [{ name: 'trust', state: 'problem', detail: inNext(running, trust.lapsed) } as const]),
    ...unusable.map(
      ({ name, problem = '' }) => ({ name: 'MCP', state: 'problem', detail: `${name}: ${problem}` }) as const,
    ),
    ...(running !== undefined && running.servers.length > 0
      ? running.servers.map(checkServer)
      : usable.length === 0 && unusable.length > 0
        ? []
        : [{ name: 'MCP servers', state: 'ok', detail: describeServers(usable) } as const]),
  ];
}

/** Those that run in this session, whatever the files say meanwhile. */
function checkHooks(running: RunningSession | undefined): readonly CheckResult[] {
  const hooks = running?.hooks.hooks ?? [];
  if (hooks.length === 0) return [];
  const off = hooks.filter(({ disabled }) => disabled === true).length;
  const detail = `${hooks.length - off} run in this session${off === 0 ? '' : `, ${off} are switched off`}`;
  return [{ name: 'hooks', state: off === 0 ? 'ok' : 'warning', detail }];
}

const inNext = (running: RunningSession | undefined, lapsed: string): string =>
  running === undefined ? lapsed : `for the next session: ${lapsed}`;

function checkServer({ name, status, error }: McpServerStatus): CheckResult {
  const state = status === 'connected' ? 'ok' : status === 'failed' ? 'problem' : 'warning';
  return { name: 'MCP', state, detail: `${name}: ${status}${error === undefined ? '' : `: ${error}`}` };
}

function describeServers(servers: readonly { readonly name: string; readonly target: string }[]): string {
  if (servers.length === 0) return 'none configured';
  return `${servers.map(({ name, target }) => `${name} (${target})`).join(', ')}; not started`;
}
