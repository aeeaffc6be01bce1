/** `turnwright mcp add`, `add-json` and `remove`: servers in configuration files. */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import { addMcpServer, type ExternalMcpServer, projectTrust, removeMcpServer } from '@turnwright/engine';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { McpAction } from '../flags/mcp-flags.ts';
import { isTrustedUnasked } from '../run/trust-question.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';

type Call<A extends McpAction['action']> = Extract<McpAction, { readonly action: A }>;

export async function addServer(world: World, { name, words, flags }: Call<'add'>): Promise<ExitCode> {
  return add(world, name, parseServerConfig(words, flags), flags.scope);
}

export async function addJsonServer(
  world: World,
  { name, json, scope }: Call<'add-json'>,
): Promise<ExitCode> {
  let config: unknown;
  try {
    config = parseJson(json);
  } catch (error) {
    throw new UsageError(`The configuration of "${name}" is not JSON: ${(error as Error).message}.`);
  }
  return add(world, name, config, scope);
}

export async function removeServer(world: World, { name, scope }: Call<'remove'>): Promise<ExitCode> {
  const from = await removeMcpServer(name, { cwd: world.cwd, env: world.env, scope });
  await world.out.write(
    `Removed MCP server ${visible(name)} from the ${from.scope} scope.\nFile: ${visible(from.file)}\n`,
  );
  return EXIT.success;
}

async function add(
  world: World,
  name: string,
  config: unknown,
  scope: Call<'add'>['flags']['scope'],
): Promise<ExitCode> {
  const { cwd, env } = world;
  // Validated there, with a sentence about problems.
  const { file } = await addMcpServer(name, config as ExternalMcpServer, { cwd, env, scope });
  const lines = [
    `Added MCP server ${name} to the ${scope} scope: ${describe(config)}`,
    `File: ${visible(file)}`,
  ];
  if (scope === 'project' && !isTrustedUnasked({}, env)) {
    const { state } = await projectTrust({ cwd, env });
    if (state !== 'trusted')
      lines.push(
        'It is not started before the folder is trusted: turnwright trust --show, turnwright trust.',
      );
  }
  await world.out.write(`${lines.join('\n')}\n`);
  return EXIT.success;
}

function describe(config: unknown): string {
  const { type, url, command, args } = config as Readonly<Record<string, unknown>>;
  const words =
    typeof url === 'string' ? [String(type ?? 'http'), url] : [command, ...(Array.isArray(args) ? args : [])];
  return oneLine(words.join(' '));
}

/** A URL means a remote server, unless the transport is stdio. */
function parseServerConfig(
  words: readonly string[],
  { transport, env = [], header = [] }: Call<'add'>['flags'],
) {
  const [first = '', ...args] = words;
  if ((transport ?? (/^https?:\/\//i.test(first) ? 'http' : 'stdio')) === 'stdio') {
    if (header.length > 0)
      throw new UsageError('--header is for servers at an address; a program takes --env.');
    return { type: 'stdio', command: first, args, env: pairs(env, /^([^=]+)=(.*)$/s, '--env', 'KEY=value') };
  }
  if (env.length > 0) throw new UsageError('--env is for programs; a server at an address takes --header.');
  if (args.length > 0)
    throw new UsageError(
      `A server at an address takes no further words: ${args.map((arg) => `"${arg}"`).join(' ')}.`,
    );
  const headers = pairs(header, /^([^:\s]+):\s*(.*)$/s, '--header', '"Name: value"');
  return {
    type: transport === 'sse' ? 'sse' : 'http',
    url: first,
    ...(header.length > 0 && { headers }),
  };
}

function pairs(
  words: readonly string[],
  form: RegExp,
  flag: string,
  expected: string,
): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, key, value] = form.exec(word) ?? [];
      // The invalid text may be a secret, so it is not repeated.
      if (key === undefined || value === undefined)
        throw new UsageError(`A value of ${flag} is not written as ${expected}.`);
      return [key, value];
    }),
  );
}
