/** Servers that are kept in files: added and removed outside of any session. */
import { resolve } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { problemAsWritten } from '../../mcp/servers/written-server.ts';
import type { BaseOptions } from '../../options/options.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { configHome } from '../../settings/read/config-home.ts';
import { createServerFiles, SERVER_SCOPES, type ServerScope } from '../../settings/read/server-files.ts';
import { userServersFile } from '../../settings/read/user-servers.ts';
import { resolveConfig } from '../../settings/resolve/resolve-config.ts';
import { keepTrust } from '../../settings/trust/keep-trust.ts';

export type { ServerScope };

export interface KeptServersInput {
  readonly options: Pick<BaseOptions, 'projectConfigRoot'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly files: PersistentFiles;
  readonly nowMs: () => number;
}

/** Where a server was put, or taken from. */
export interface KeptServer {
  readonly scope: ServerScope;
  readonly file: string;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export async function keepServer(
  name: string,
  config: unknown,
  scope: ServerScope,
  input: KeptServersInput,
): Promise<KeptServer> {
  checkScope(scope);
  if (!NAME.test(name))
    throw invalid(`"${name}" cannot be the name of an MCP server: letters, digits, - and _ can, 64 at most.`);
  const problem = problemAsWritten(config);
  if (problem !== undefined) throw invalid(`The MCP server "${name}" cannot be added. ${problem}`);
  const file = await changing(scope, input, () => openServerFiles(input).add(scope, name, config));
  return { scope, file };
}

/** Without a scope from the one that has it. */
export async function dropKeptServer(
  name: string,
  scope: ServerScope | undefined,
  input: KeptServersInput,
): Promise<KeptServer> {
  if (scope !== undefined) checkScope(scope);
  const files = openServerFiles(input);
  const scopes = scope === undefined ? await files.scopesOf(name) : [scope];
  if (scopes.length > 1)
    throw invalid(`There is an MCP server "${name}" in the scopes ${scopes.join(', ')}. Say of which.`);
  for (const from of scopes) {
    const file = await changing(from, input, () => files.remove(from, name));
    if (file !== undefined) return { scope: from, file };
  }
  const where = scope === undefined ? 'in any scope' : `in the ${scope} scope`;
  throw invalid(`There is no MCP server "${name}" ${where}.`);
}

/** What the user changes of a trusted folder leaves it trusted. */
async function changing<T>(
  scope: ServerScope,
  { options, env, cwd, files, nowMs }: KeptServersInput,
  change: () => Promise<T>,
): Promise<T> {
  if (scope !== 'project') return change();
  const look = () =>
    resolveConfig({
      options: {
        ...options,
        settingSources: ['user', 'project', 'local'],
        projectTrusted: false,
        trustRecorded: true,
      },
      env,
      cwd,
      files,
    });
  const before = await look();
  const done = await change();
  await keepTrust(before.project, await look(), { files, nowMs });
  return done;
}

function openServerFiles({ options, env, cwd, files }: KeptServersInput) {
  return createServerFiles({
    projectRoot: resolve(cwd, options.projectConfigRoot ?? '.'),
    userFile: userServersFile(env, cwd),
    configHome: configHome(env, cwd),
    files,
  });
}

function checkScope(scope: string): void {
  if ((SERVER_SCOPES as readonly string[]).includes(scope)) return;
  throw invalid(`There is no scope "${scope}" of MCP servers: ${SERVER_SCOPES.join(', ')} are.`);
}

function invalid(sentence: string): TurnwrightError {
  return new TurnwrightError('invalid_option', sentence);
}
