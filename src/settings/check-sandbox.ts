/** A session that asks for isolated commands does not start without them, and isolation is not supported yet. */
import { delimiter, resolve } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import type { Env } from './config-home.ts';
import type { SandboxSettings } from './settings.ts';

/** What isolation on Linux is made with. */
const PROGRAMS = { bwrap: 'bubblewrap (bwrap)', socat: 'socat' } as const;

export interface SandboxSurroundings {
  readonly env: Env;
  readonly cwd: string;
  readonly files: Pick<PersistentFiles, 'stat'>;
  readonly platform: NodeJS.Platform;
  readonly warn: (line: string) => void;
}

/**
 * Why the session must not start, in one sentence that names the programs this machine lacks; undefined when it may.
 * Running without isolation is warned of where `failIfUnavailable: false` accepts it.
 */
export async function checkSandbox(
  sandbox: SandboxSettings | undefined,
  surroundings: SandboxSurroundings,
): Promise<string | undefined> {
  if (sandbox?.enabled !== true) return undefined;
  const why = `sandbox is enabled but ${await reason(surroundings)}`;
  if (sandbox.failIfUnavailable === false) {
    surroundings.warn(`Sandbox disabled: ${why}. Commands will run WITHOUT isolation.`);
    return undefined;
  }
  return `Sandbox required but unavailable: ${why}. Set sandbox.failIfUnavailable=false to allow unsandboxed execution.`;
}

async function reason({ env, cwd, files, platform }: SandboxSurroundings): Promise<string> {
  const unsupported = 'isolation of commands is not supported yet';
  if (platform !== 'linux') return unsupported;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const missing: string[] = [];
  for (const [program, name] of Object.entries(PROGRAMS)) {
    const stats = folders.map((folder) => files.stat(resolve(cwd, folder, program)).catch(() => undefined));
    if (!(await Promise.all(stats)).some((stat) => stat?.kind === 'file'))
      missing.push(`${name} not installed`);
  }
  return missing.length === 0
    ? unsupported
    : `dependencies are missing: ${missing.join(', ')}; ${unsupported} in any case`;
}
