/** The files of one run: a fresh copy of the state of its case, which is removed afterwards. */
import { execFile } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '../../util/files/temporary-folder.ts';
import type { EvalCase } from '../case/eval-case.ts';

const run = promisify(execFile);

interface RunFolder {
  /** Absolute. */
  readonly path: string;
  /** Never rejects. */
  remove(): Promise<void>;
}

/** Rejects with what git says when the commit is not there or the patch does not fit. */
export async function makeRunFolder({ state }: Pick<EvalCase, 'state'>): Promise<RunFolder> {
  const { repository, patch, files } = state;
  const around = await makeTemporaryFolder('turnwright-eval');
  const path = join(around, 'work');
  const git = (...words: string[]) => run('git', ['-C', repository?.path ?? around, ...words]);
  const remove = async () => {
    if (repository !== undefined) await git('worktree', 'remove', '--force', path).catch(() => undefined);
    await rm(around, { recursive: true, force: true }).catch(() => undefined);
  };
  try {
    if (repository === undefined) await cp(files ?? '', path, { recursive: true });
    else await git('worktree', 'add', '--quiet', '--detach', path, repository.commit);
    if (patch !== undefined) {
      const file = join(around, 'patch.diff');
      await writeFile(file, patch);
      await run('git', ['-C', path, 'apply', '--whitespace=nowarn', file]);
    }
    if (repository !== undefined && files !== undefined) await cp(files, path, { recursive: true });
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
