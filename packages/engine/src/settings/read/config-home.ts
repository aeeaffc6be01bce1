import { join, resolve } from 'node:path';
import { homeDirectory } from '@turnwright/base/files/home-path.ts';

/** The environment as a value: settings never read that of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where the user's own settings and sessions live: `TURNWRIGHT_HOME`, else `CLAUDE_CONFIG_DIR`, else
 * `~/.claude`, where clients, web interfaces and programs for token statistics look. Undefined if there is no
 * home at all: then nothing is read or written.
 */
export function configHome(env: Environment, cwd: string): string | undefined {
  const named = namedHome(env, cwd);
  if (named !== undefined) return named;
  const home = homeDirectory(env);
  return home === undefined ? undefined : join(home, '.claude');
}

/** The configuration home that a variable names. */
export function namedHome(env: Environment, cwd: string): string | undefined {
  const named = readVariable(env, 'TURNWRIGHT_HOME') ?? readVariable(env, 'CLAUDE_CONFIG_DIR');
  return named === undefined ? undefined : resolve(cwd, named);
}

/** A variable that is set and not empty. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value === '' ? undefined : value;
}
