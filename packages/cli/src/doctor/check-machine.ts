/** Node, folders, ripgrep. */
import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Env } from '../world.ts';
import type { CheckResult } from './check-result.ts';

const OLDEST_NODE = { major: 20, minor: 19 } as const;

/** `runtimes`: what plays Node, by name; only another runtime has an entry for itself. */
export function checkNode(
  version: string,
  runtimes: Readonly<Record<string, string | undefined>> = {},
): CheckResult {
  const other = ['bun', 'deno'].find((name) => runtimes[name] !== undefined);
  if (other !== undefined)
    return {
      name: 'runtime',
      state: 'ok',
      detail: `${other} ${runtimes[other]}, which stands in for node ${version}`,
    };

  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const { major: needMajor, minor: needMinor } = OLDEST_NODE;
  const fits = major > needMajor || (major === needMajor && minor >= needMinor);
  const need = `${needMajor}.${needMinor}`;
  return fits
    ? { name: 'node', state: 'ok', detail: version }
    : { name: 'node', state: 'problem', detail: `${version} is too old: install Node ${need} or newer.` };
}

/**
 * Writes and removes a small file, because permissions do not reveal full or read-only disks. For a missing
 * folder, its parent is checked.
 */
export async function checkWritable(name: string, folder: string): Promise<CheckResult> {
  const existing = nearestExisting(folder);
  const probe = join(existing, `.turnwright-doctor-${randomUUID()}`);
  try {
    await writeFile(probe, '');
    await rm(probe);
    return { name, state: 'ok', detail: existing === folder ? folder : `${folder} (made when needed)` };
  } catch (error) {
    return { name, state: 'problem', detail: `${existing} cannot be written: ${(error as Error).message}` };
  }
}

function nearestExisting(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : nearestExisting(parent);
}

/** Number of sessions of this folder. */
export async function checkSessions(folder: string): Promise<CheckResult> {
  try {
    const names = await readdir(folder);
    const count = names.filter((name) => name.endsWith('.jsonl')).length;
    return { name: 'sessions', state: 'ok', detail: `${count} of this folder in ${folder}` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { name: 'sessions', state: 'ok', detail: `none of this folder yet (${folder})` };
    }
    return {
      name: 'sessions',
      state: 'problem',
      detail: `${folder} cannot be read: ${(error as Error).message}`,
    };
  }
}

/** Located, not started: the folder may not be trusted. */
export async function checkRipgrep(env: Env): Promise<CheckResult> {
  const bundled = await import('@vscode/ripgrep').then(
    ({ rgPath }) => [rgPath],
    () => [],
  );
  const onPath = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const program of [...bundled, ...onPath.map((folder) => join(folder, 'rg'))]) {
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return { name: 'ripgrep', state: 'ok', detail: program };
  }
  return {
    name: 'ripgrep',
    state: 'warning',
    detail: 'not found: Grep and Glob will be slower. Reinstall, or put rg on PATH.',
  };
}
