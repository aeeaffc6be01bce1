/** `turnwright mcp`: the MCP servers of this folder, and logins to those that want one. */
import { spawn } from 'node:child_process';
import {
  type ConfiguredMcpServer,
  listMcpServers,
  machineSettingsFile,
  mcpLogin,
  mcpLogout,
} from '../index.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { McpInvocation } from './mcp-flags.ts';
import { visible } from './screen/visible.ts';
import { isTrustedUnasked, settleTrust } from './trust-question.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

export async function mcpCommand(
  world: World,
  { action, server, ...flags }: McpInvocation,
): Promise<ExitCode> {
  // As a run of the command line would read the settings.
  const place = {
    cwd: world.cwd,
    env: world.env,
    projectTrusted: isTrustedUnasked({}, world.env),
    trustRecorded: true,
    managedSettingsFile: machineSettingsFile(process.platform),
    stderr: (line: string) => void world.err.write(`turnwright: ${line}\n`),
  };
  await settleTrust(world, {}, undefined);
  const say = (line: string) => world.out.write(`${line}\n`);
  switch (action) {
    case 'list': {
      const servers = await listMcpServers(place);
      if (flags.json === true) await say(JSON.stringify(servers));
      else if (servers.length === 0) await say('No MCP server is configured in this folder.');
      else await say(servers.map(lineOf).join('\n'));
      return EXIT.success;
    }
    case 'login': {
      const name = named(action, server);
      await mcpLogin(name, {
        ...place,
        async show(address) {
          await say(
            `To log in to ${visible(name)}, open\n\n  ${address.href}\n\nand come back here. Ctrl-C gives up.`,
          );
          if (flags.browser === true) openBrowser(address);
        },
      });
      await say(`Logged in to ${visible(name)}.`);
      return EXIT.success;
    }
    case 'logout': {
      const name = named(action, server);
      const was = await mcpLogout(name, place);
      await say(was ? `Logged out of ${visible(name)}.` : `Nobody was logged in to ${visible(name)}.`);
      return was ? EXIT.success : EXIT.error;
    }
    default:
      throw new UsageError(`"${action}" is nothing to do with MCP servers: list, login or logout is.`);
  }
}

function named(action: string, server: string | undefined): string {
  if (server === undefined) throw new UsageError(`Name the server: turnwright mcp ${action} <server>.`);
  return server;
}

function lineOf({ name, scope, target, problem, loggedIn }: ConfiguredMcpServer): string {
  const login = loggedIn === undefined ? [] : [loggedIn ? 'logged in' : 'not logged in'];
  return [
    `${visible(name)} (${scope})`,
    visible(target),
    ...login,
    ...(problem === undefined ? [] : [visible(problem)]),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

/** Without a shell: the address is another's word (T116). That it was printed is enough where there is no browser. */
function openBrowser(address: URL): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', address.href]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', address.href]
        : ['xdg-open', address.href];
  const child = spawn(command as string, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
