/** Status of a configured server, as reported to hosts. */
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import { type HostServerConfig, isHosts, isRemote, type McpServerConfig } from './server-config.ts';

export function transportOf(config: McpServerConfig): NonNullable<McpServerStatus['transport']> {
  if (isHosts(config)) return 'sdk';
  return isRemote(config) ? config.type : 'stdio';
}

/** Without secrets. */
export function shownConfig(
  config: Exclude<McpServerConfig, HostServerConfig>,
): Readonly<Record<string, unknown>> {
  if (!isRemote(config)) return { type: 'stdio', command: config.command, args: config.args ?? [] };
  const { origin, pathname } = new URL(config.url);
  return { type: config.type, url: origin + pathname };
}
