/** Which MCP servers a session has, and where each is from. */
import { type McpServerEntry, parseServers } from '../../engine/compose/mcp.ts';
import type { ProjectServerPolicy } from '../../engine/compose/settings.ts';
import type { Options } from '../options.ts';
import type { McpServerConfig } from './server-config.ts';

/** Those in this process, and those to be started or reached. */
export function splitServers(servers: Readonly<Record<string, McpServerConfig>>): {
  readonly inProcess: readonly (readonly [string, McpServerConfig])[];
  readonly external: Readonly<Record<string, unknown>>;
} {
  const all = Object.entries(servers);
  return {
    inProcess: all.filter(([, server]) => server.type === 'sdk'),
    external: Object.fromEntries(all.filter(([, server]) => server.type !== 'sdk')),
  };
}

/** The external servers of options and project; an option beats the project's server of that name. */
export function externalServers(
  options: Options,
  /** The text of the project's `.mcp.json`, where it may be used (T101, T108). */
  projectText: string | undefined,
  { enabled, disabled }: ProjectServerPolicy = { enabled: undefined, disabled: [] },
): readonly McpServerEntry[] {
  const ofOptions = splitServers(options.mcpServers ?? {}).external;
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
