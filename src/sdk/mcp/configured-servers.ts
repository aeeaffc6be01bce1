/** Which MCP servers a session has, and where each is from. */
import { type McpServerEntry, parseServers } from '../../engine/compose/mcp.ts';
import type { ProjectServerPolicy } from '../../engine/compose/settings.ts';
import type { SdkMcpServer } from '../create-sdk-mcp-server.ts';
import type { Options } from '../options.ts';
import type { McpServerConfig } from './server-config.ts';

/** The host's own tools, and servers that a protocol is spoken with. */
export function splitServers(servers: Readonly<Record<string, McpServerConfig>>): {
  readonly own: readonly (readonly [string, SdkMcpServer])[];
  readonly others: Readonly<Record<string, unknown>>;
} {
  const all = Object.entries(servers);
  return {
    own: all.filter((entry): entry is [string, SdkMcpServer] => isOwn(entry[1])),
    others: Object.fromEntries(all.filter(([, server]) => !isOwn(server))),
  };
}

const isOwn = (server: McpServerConfig): server is SdkMcpServer =>
  server.type === 'sdk' && 'definitions' in server;

/** The servers of options and project that a protocol is spoken with; an option beats the project's server of that name. */
export function configuredServers(
  options: Options,
  /** The text of the project's `.mcp.json`, where it may be used (T101, T108). */
  projectText: string | undefined,
  { enabled, disabled }: ProjectServerPolicy = { enabled: undefined, disabled: [] },
): readonly McpServerEntry[] {
  const ofOptions = splitServers(options.mcpServers ?? {}).others;
  const ofProject = projectServers(projectText, options);
  return [
    ...Object.entries(ofOptions).map(([name, config]) => ({ name, scope: 'option', config })),
    ...Object.entries(ofProject)
      .filter(([name]) => options.mcpServers?.[name] === undefined)
      .filter(([name]) => enabled?.includes(name) !== false && !disabled.includes(name))
      .map(([name, config]) => ({ name, scope: 'project', config })),
  ];
}

function projectServers(text: string | undefined, { stderr }: Options): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  const { servers, problem } = parseServers(text);
  if (problem !== undefined) stderr?.(`The project's .mcp.json was passed over: it ${problem}.`);
  return servers;
}
