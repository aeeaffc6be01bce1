/** `turnwright mcp`: the MCP servers of this folder, and logins. */
import { spawn } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { type McpPlace, machineSettingsFile, mcpLogin, mcpLogout, revokeTrust } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { McpInvocation } from '../flags/mcp-flags.ts';
import { isTrustedUnasked, settleTrust } from '../run/trust-question.ts';
import type { World } from '../world.ts';
import { addJsonServer, addServer, removeServer } from './mcp-kept.ts';
import { getServer, listServers } from './mcp-list.ts';

export async function runMcpCommand(world: World, { call }: McpInvocation): Promise<ExitCode> {
  const place = placeIn(world);
  const say = (line: string) => world.out.write(`${line}\n`);
  switch (call.action) {
    case 'list':
      return listServers(world, place, call);
    case 'get':
      return getServer(world, place, call);
    case 'add':
      return addServer(world, call);
    case 'add-json':
      return addJsonServer(world, call);
    case 'remove':
      return removeServer(world, call);
    case 'reset-project-choices': {
      const was = await revokeTrust(await realpath(world.cwd), world);
      await say(
        was
          ? 'This folder is no longer trusted: no server of its .mcp.json is started until turnwright trust agrees to it.'
          : 'This folder was not trusted: no server of its .mcp.json is started.',
      );
      return EXIT.success;
    }
    case 'login': {
      const { server: name, browser } = call;
      await settleTrust(world, { options: {} }, { onlyLooks: true });
      await mcpLogin(name, {
        ...place,
        async show(address) {
          await say(
            `To log in to ${visible(name)}, open\n\n  ${address.href}\n\nand come back here. Ctrl-C gives up.`,
          );
          if (browser === true) openBrowser(address);
        },
      });
      await say(`Logged in to ${visible(name)}.`);
      return EXIT.success;
    }
    case 'logout': {
      const name = call.server;
      await settleTrust(world, { options: {} }, { onlyLooks: true });
      const was = await mcpLogout(name, place);
      await say(was ? `Logged out of ${visible(name)}.` : `There was no login to ${visible(name)}.`);
      return was ? EXIT.success : EXIT.error;
    }
  }
}

/** The same trust as a run of the command line. */
function placeIn({ cwd, env, err }: World): McpPlace {
  return {
    cwd,
    env,
    projectTrusted: isTrustedUnasked({}, env),
    trustRecorded: true,
    managedSettingsFile: machineSettingsFile(process.platform),
    stderr: (line: string) => void err.write(`turnwright: ${visible(line)}\n`),
  };
}

/**
 * Without a shell, because the URL is not trusted (T116). It is printed too, for machines without a browser.
 */
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
