/** Which MCP servers a session has, and where each is from. */
import { type McpServerEntry, parseServers } from '../../engine/compose/mcp.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { Options } from '../options.ts';
import type { McpServerConfig } from './server-config.ts';

export const PROJECT_FILE = '.mcp.json';

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
export async function externalServers(
  options: Options,
  place: { readonly root: string; readonly files: Pick<PersistentFiles, 'readFile'> },
): Promise<readonly McpServerEntry[]> {
  const ofOptions = splitServers(options.mcpServers ?? {}).external;
  const ofProject = await projectServers(options, place);
  return [
    ...Object.entries(ofOptions).map(([name, config]) => ({ name, scope: 'option', config })),
    ...Object.entries(ofProject)
      .filter(([name]) => options.mcpServers?.[name] === undefined)
      .map(([name, config]) => ({ name, scope: 'project', config })),
  ];
}

/** What a repository would start is started only where its settings are asked for and trusted (T101, T108). */
async function projectServers(
  { settingSources = [], projectTrusted = true, strictMcpConfig = false, stderr }: Options,
  { root, files }: { readonly root: string; readonly files: Pick<PersistentFiles, 'readFile'> },
): Promise<Readonly<Record<string, unknown>>> {
  if (!settingSources.includes('project') || !projectTrusted || strictMcpConfig) return {};
  const path = `${root}/${PROJECT_FILE}`;
  const text = await files.readFile(path).then(
    (bytes) => Buffer.from(bytes).toString('utf8'),
    () => undefined,
  );
  if (text === undefined) return {};
  const { servers, problem } = parseServers(text);
  if (problem !== undefined) stderr?.(`${path} was passed over: it ${problem}.`);
  return servers;
}
