/** The last version of the package whose tables were of an earlier version, from the history of this clone. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built } from '@turnwright/test/durable/processes.ts';
import type * as Durable from '../src/index.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The commit before the step that the tables were given last. Changed with each new step; its folders are those of then. */
const COMMIT = '3e13b708';

/** Why its tests are left out; undefined: it can be had. */
export const whyNoPreviousPackage: string | undefined =
  spawnSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: root }).status === 0
    ? undefined
    : `left out: the history of this clone does not reach back to ${COMMIT}`;

interface PreviousPackage {
  /** Where its sources are. */
  readonly folder: string;
  readonly durable: typeof Durable;
}

export async function previousPackage(): Promise<PreviousPackage> {
  const folder = join(root, 'node_modules/.cache/turnwright', `at-${COMMIT}-${process.pid}`);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    const parts = ['package.json', 'src', 'test/durable/programs'];
    const archive = execFileSync('git', ['archive', COMMIT, ...parts], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  }
  return {
    folder,
    durable: (await import(built('src/durable/index.ts', folder))) as typeof Durable,
  };
}
