/** What hosts are told about a configured server. */
import type { ToolStatus } from './listed-tool.ts';
import { type HostServerConfig, isHosts, isRemote, type McpServerConfig } from './server-config.ts';
import type { McpStatus } from './server-link.ts';

export interface McpServerStatus {
  readonly name: string;
  readonly status: McpStatus;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly error?: string;
  /** Without what may be secret: environment, headers, the query of an address. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** `dynamic`: the host named it; `sdk`: it lives with the host; else the kind of file it stands in, or `plugin`. */
  readonly scope?: string;
  /** The same, for clients that know it by this name. */
  readonly source?: string;
  readonly transport?: 'stdio' | 'http' | 'sse' | 'sdk';
  readonly tools?: readonly ToolStatus[];
  /** Tools that were left out, one sentence each. */
  readonly quarantined?: readonly string[];
  /** Tools that changed since they were allowed and wait to be allowed again, one sentence each. */
  readonly held?: readonly string[];
}

export function transportOf(config: McpServerConfig): NonNullable<McpServerStatus['transport']> {
  if (isHosts(config)) return 'sdk';
  return isRemote(config) ? config.type : 'stdio';
}

/** Without what may be secret. */
export function shownConfig(
  config: Exclude<McpServerConfig, HostServerConfig>,
): Readonly<Record<string, unknown>> {
  if (!isRemote(config)) return { type: 'stdio', command: config.command, args: config.args ?? [] };
  const { origin, pathname } = new URL(config.url);
  return { type: config.type, url: origin + pathname };
}
