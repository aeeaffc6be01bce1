/** `turnwright mcp list` and `get`: checks the servers of this folder and shows their status. */
import {
  type CheckedMcpServer,
  checkMcpServers,
  listMcpServers,
  type McpPlace,
  projectTrust,
} from '@turnwright/engine';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';

/** A server of the project that is not tried: only its name. */
interface UntriedServer {
  readonly name: string;
  readonly scope: 'project';
  /** `untrusted`: until someone agrees to it. `disabled`: settings leave it out. */
  readonly status: 'untrusted' | 'disabled';
  /** Trust would not help: its configuration cannot be used. */
  readonly problem?: string | undefined;
}

type Listed = CheckedMcpServer | UntriedServer;

export async function listServers(
  world: World,
  place: McpPlace,
  { json }: { readonly json?: true | undefined },
): Promise<ExitCode> {
  const servers = await serversIn(place, undefined);
  const text =
    json === true
      ? JSON.stringify(servers)
      : servers.length === 0
        ? 'No MCP server is configured in this folder. turnwright mcp add adds one.'
        : servers.map((server) => `${formatHeading(server)} - ${describeState(server)}`).join('\n');
  await world.out.write(`${text}\n`);
  return EXIT.success;
}

export async function getServer(
  world: World,
  place: McpPlace,
  { server: name, json }: { readonly server: string; readonly json?: true | undefined },
): Promise<ExitCode> {
  const [server] = await serversIn(place, [name]);
  if (server === undefined)
    throw new UsageError(
      `There is no MCP server "${name}" in this folder. turnwright mcp list names those there are.`,
    );
  const lines =
    json === true
      ? [JSON.stringify(server)]
      : [`${visible(name)}:`, ...listDetails(server).map(([what, value]) => `  ${what}: ${value}`)];
  await world.out.write(`${lines.join('\n')}\n`);
  return EXIT.success;
}

async function serversIn(place: McpPlace, names: readonly string[] | undefined): Promise<readonly Listed[]> {
  const checked = await checkMcpServers({ ...place, names });
  const { mcpServers, state } = await projectTrust(place);
  const status = place.projectTrusted === true || state === 'trusted' ? 'disabled' : 'untrusted';
  const isMeant = (name: string) => names?.includes(name) !== false;
  const untried = mcpServers.filter(
    (name) => isMeant(name) && !checked.some((server) => server.name === name),
  );
  const problems = status === 'untrusted' && untried.length > 0 ? await problemsIn(place) : new Map();
  return [
    ...checked,
    ...untried.map(
      (name): UntriedServer => ({ name, scope: 'project', status, problem: problems.get(name) }),
    ),
  ];
}

/** What is wrong with the configurations of a project's servers, by name. None is started. */
async function problemsIn(place: McpPlace): Promise<ReadonlyMap<string, string>> {
  const read = { ...place, projectTrusted: true, stderr: () => undefined };
  // Settings that cannot be read are reported by the commands that use them.
  const servers = await listMcpServers(read).catch(() => []);
  return new Map(
    servers.flatMap(({ name, scope, problem }) =>
      scope === 'project' && problem !== undefined ? [[name, problem] as const] : [],
    ),
  );
}

function formatHeading(server: Listed): string {
  const target = 'target' in server ? server.target : '';
  return `${visible(server.name)}: ${oneLine([target, `(${server.scope})`].join(' '))}`;
}

function describeState(server: Listed): string {
  switch (server.status) {
    case 'connected':
      return `✓ connected, ${server.tools === 1 ? '1 tool' : `${server.tools ?? 0} tools`}`;
    case 'needs-auth':
      return `! needs a login: turnwright mcp login ${visible(server.name)}`;
    case 'failed':
      return `✗ failed: ${oneLine(server.problem ?? '')}`;
    case 'untrusted':
      if (server.problem !== undefined) return `✗ failed: ${oneLine(server.problem)}`;
      return '! not started: the folder is not trusted (turnwright trust --show)';
    case 'disabled':
      return '○ disabled: enabledMcpjsonServers or disabledMcpjsonServers in the settings leave it out';
  }
}

function listDetails(server: Listed): readonly (readonly [string, string])[] {
  const details: [string, string][] = [
    ['scope', SCOPES.get(server.scope) ?? server.scope],
    ['state', describeState(server)],
  ];
  if (!('target' in server)) return details;
  const { type, target, given = [], loggedIn } = server;
  if (type !== undefined) details.push(['type', type]);
  if (target !== '') details.push([type === 'stdio' ? 'command' : 'url', oneLine(target)]);
  // Values may be secret.
  if (given.length > 0) details.push([type === 'stdio' ? 'env' : 'headers', oneLine(given.join(', '))]);
  if (loggedIn !== undefined) details.push(['login', loggedIn ? 'logged in' : 'not logged in']);
  return details;
}

const SCOPES: ReadonlyMap<string, string> = new Map([
  ['local', 'local (you, in this project)'],
  ['user', 'user (you, in every project)'],
  ['project', 'project (.mcp.json)'],
]);
