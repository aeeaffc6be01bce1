/**
 * The MCP servers that the user keeps, for every project or for one: in the user's own file, which needs no
 * trust.
 */

import { join, resolve } from 'node:path';
import { findRepository } from '@turnwright/base/files/folders.ts';
import { homeDirectory } from '@turnwright/base/files/home-path.ts';
import { resolveLinks } from '@turnwright/base/files/real-path.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { SettingSource } from '../../options/option-values.ts';
import { type Environment, namedHome } from './config-home.ts';
import { parseMcpFile, type Servers } from './mcp-file.ts';
import { readIfPresent } from './read-settings.ts';

export interface UserServers {
  /** For every project. */
  readonly user: Servers;
  /** For this project alone. */
  readonly local: Servers;
}

const FILE = '.claude.json';
export const NO_USER_SERVERS: UserServers = { user: {}, local: {} };

/**
 * `.claude.json` in the configuration home where a variable names that, else in the home directory; other
 * programs keep their own keys in it. undefined: there is no home.
 */
export function userServersFile(env: Environment, cwd: string): string | undefined {
  const home = namedHome(env, cwd) ?? homeDirectory(env);
  return home === undefined ? undefined : join(home, FILE);
}

/**
 * The key of a project in that file: the real path of the repository's root, or of the folder outside of one.
 */
export async function projectKey(
  projectRoot: string,
  files: Pick<PersistentFiles, 'realpath' | 'stat'>,
): Promise<string> {
  const folder = await resolveLinks(files, resolve(projectRoot));
  const exists = (path: string) =>
    files.stat(path).then(
      (stat) => stat !== undefined,
      () => false,
    );
  return (await findRepository(folder, { exists })) ?? folder;
}

interface UserServersPlaces {
  readonly file: string | undefined;
  readonly projectRoot: string;
  readonly sources: readonly SettingSource[];
  readonly files: Pick<PersistentFiles, 'readFile' | 'realpath' | 'stat'>;
  readonly warn: (warning: string) => void;
}

/**
 * Those of the sources `user` and `local`. A file that cannot be read is warned of, and none of its servers
 * is used.
 */
export async function readUserServers(places: UserServersPlaces): Promise<UserServers> {
  const { file, sources, files, warn } = places;
  if (file === undefined || !(sources.includes('user') || sources.includes('local'))) return NO_USER_SERVERS;
  try {
    const text = await readIfPresent(file, files);
    if (text === undefined) return NO_USER_SERVERS;
    const { value, problem } = parseMcpFile(text);
    if (problem !== undefined) throw new Error(`it ${problem}`);
    const projects = field(value, 'projects');
    const local =
      sources.includes('local') && projects !== undefined
        ? field(projects[await projectKey(places.projectRoot, files)], 'mcpServers')
        : undefined;
    return {
      user: (sources.includes('user') ? field(value, 'mcpServers') : undefined) ?? {},
      local: local ?? {},
    };
  } catch (error) {
    warn(`The MCP servers in ${file} are not used: ${(error as Error).message}`);
    return NO_USER_SERVERS;
  }
}

/** A record under that key of a record. */
export function field(value: unknown, key: string): Servers | undefined {
  const held = isRecord(value) ? value[key] : undefined;
  return isRecord(held) ? held : undefined;
}
