/** Settings and options about isolation of commands, and how several of them are merged. */
import { isRecord } from '@turnwright/base/json-values.ts';

type Flag = boolean | undefined;
type List = readonly string[] | undefined;

export interface SandboxSettings {
  /** Shell commands run in isolation. Default false. */
  readonly enabled?: Flag;
  /** false: commands run without isolation where there is none, after a warning. Default true. */
  readonly failIfUnavailable?: Flag;
  /** Commands in the sandbox run without asking, unless a rule matches. Default false. */
  readonly autoAllowBashIfSandboxed?: Flag;
  /** false: no call of the model runs outside. Default true: through the ordinary rules. */
  readonly allowUnsandboxedCommands?: Flag;
  /** Commands that run outside, as rules for Bash name them: through the ordinary rules. */
  readonly excludedCommands?: List;
  /** Hooks that are commands run in isolation too. Default false. */
  readonly hooks?: Flag;
  /**
   * MCP servers that are programs run in isolation too: all of them, or those of these names. Default false.
   */
  readonly mcpServers?: boolean | readonly string[] | undefined;
  readonly network?: SandboxNetwork | undefined;
  readonly filesystem?: SandboxFiles | undefined;
  readonly credentials?: SandboxCredentials | undefined;
  /** Without effect: no violation is reported beside a command's own output. */
  readonly ignoreViolations?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The process table stays the machine's, for containers that can mount none. Default false. */
  readonly enableWeakerNestedSandbox?: Flag;
  /** Default false. */
  readonly allowNestedUserNamespaces?: Flag;
  /** macOS. Default false. */
  readonly enableWeakerNetworkIsolation?: Flag;
  /** macOS. Default false. */
  readonly allowAppleEvents?: Flag;
  /** Without effect: nothing is searched with it. */
  readonly ripgrep?: { readonly command: string; readonly args?: List } | undefined;
  /** Of managed settings: absolute. */
  readonly bwrapPath?: string | undefined;
  /** Of managed settings: absolute. */
  readonly socatPath?: string | undefined;
  readonly [more: string]: unknown;
}

export interface SandboxNetwork {
  /** Names, `*.example.com` for all below one, `*` for every address. Default none: there is no network. */
  readonly allowedDomains?: List;
  /** Beats the list above. */
  readonly deniedDomains?: List;
  /** No question is asked about other domains in any case. */
  readonly strictAllowlist?: Flag;
  /** Of managed settings: no other source opens domains. */
  readonly allowManagedDomainsOnly?: Flag;
  /** macOS. */
  readonly allowUnixSockets?: List;
  readonly allowAllUnixSockets?: Flag;
  /** macOS; on Linux a sandbox has a loopback of its own. */
  readonly allowLocalBinding?: Flag;
  /** macOS. */
  readonly allowMachLookup?: List;
  readonly httpProxyPort?: number | undefined;
  readonly socksProxyPort?: number | undefined;
  readonly tlsTerminate?:
    | { readonly caCertPath?: string | undefined; readonly caKeyPath?: string | undefined }
    | undefined;
  readonly [more: string]: unknown;
}

interface SandboxFiles {
  /** Beside the working directories. */
  readonly allowWrite?: List;
  readonly denyWrite?: List;
  readonly denyRead?: List;
  /** Inside what may not be read. */
  readonly allowRead?: List;
  /** Of managed settings: no other source's `allowRead` counts. */
  readonly allowManagedReadPathsOnly?: Flag;
  /** true: files are not isolated, the network is. Default false. */
  readonly disabled?: Flag;
  readonly [more: string]: unknown;
}

interface SandboxCredentials {
  readonly files?: readonly { readonly path: string; readonly mode: 'deny' | 'mask' }[] | undefined;
  readonly envVars?: readonly { readonly name: string; readonly mode: 'deny' | 'mask' }[] | undefined;
  readonly [more: string]: unknown;
}

/** Lists of these names are merged from all sources; for other keys the stronger source's value counts. */
const ADD_UP = new Set([
  ...['excludedCommands', 'allowedDomains', 'deniedDomains', 'allowUnixSockets', 'allowMachLookup'],
  ...['allowWrite', 'denyWrite', 'denyRead', 'allowRead', 'files', 'envVars'],
  'mcpServers',
]);

/** The weakest first. */
export function mergeSandboxes(sandboxes: readonly (SandboxSettings | undefined)[]): SandboxSettings {
  return sandboxes.reduce<SandboxSettings>((below, above) => merge(below, above ?? {}), {});
}

function merge(below: SandboxSettings, above: SandboxSettings): SandboxSettings {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (value === undefined) continue;
    const old = merged[key];
    if (ADD_UP.has(key) && Array.isArray(old) && Array.isArray(value)) merged[key] = [...old, ...value];
    // `true` in one layer is kept, even if another layer names single servers.
    else if (key === 'mcpServers' && old === true && Array.isArray(value)) continue;
    else if (isRecord(old) && isRecord(value) && key !== 'ripgrep' && key !== 'tlsTerminate')
      merged[key] = merge(old, value);
    else merged[key] = value;
  }
  return merged;
}

/** Restrictions of any source: a switch in this position, or a list of what is denied. */
const TIGHTER: Readonly<Record<string, boolean>> = {
  enabled: true,
  failIfUnavailable: true,
  autoAllowBashIfSandboxed: false,
  allowUnsandboxedCommands: false,
  hooks: true,
  mcpServers: true,
  strictAllowlist: true,
  allowAllUnixSockets: false,
  allowLocalBinding: false,
  disabled: false,
  enableWeakerNestedSandbox: false,
  allowNestedUserNamespaces: false,
  enableWeakerNetworkIsolation: false,
  allowAppleEvents: false,
};
const TIGHTER_LISTS = ['deniedDomains', 'denyWrite', 'denyRead', 'files', 'envVars', 'mcpServers'];
const GROUPS = ['network', 'filesystem', 'credentials'];

/** Isolation that is asked for, without what opens it, switches it off or accepts its absence. */
export function pickDemands(sandbox: SandboxSettings): SandboxSettings {
  const held = Object.entries(sandbox).flatMap(([key, value]) => {
    if (GROUPS.includes(key) && isRecord(value)) {
      const inner = pickDemands(value);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    }
    const tightens = TIGHTER[key] === value || (TIGHTER_LISTS.includes(key) && Array.isArray(value));
    return tightens ? [[key, value]] : [];
  });
  return Object.fromEntries(held);
}

/** Whether it says anything that the demands above leave out, without being a default. */
export function opens(sandbox: SandboxSettings): boolean {
  return Object.entries(sandbox).some(([key, value]) => {
    if (value === undefined || IDLE.includes(key)) return false;
    if (GROUPS.includes(key) && isRecord(value)) return opens(value);
    if (TIGHTER_LISTS.includes(key) && Array.isArray(value)) return false;
    return TIGHTER[key] !== value;
  });
}

const IDLE = ['ignoreViolations', 'ripgrep'];
