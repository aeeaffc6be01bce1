/** The files of runs: for each a fresh copy of the state of its case, which is removed when it has ended. */
import { cp, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeTemporaryFolder } from '@turnwright/base/files/temporary-folder.ts';
import { compareTrees } from '@turnwright/base/working-copies/compare-trees.ts';
import { readCopyRecord } from '@turnwright/base/working-copies/copy-record.ts';
import { writeTree } from '@turnwright/base/working-copies/folder-states.ts';
import { discardContainer, findLeftCopies } from '@turnwright/base/working-copies/left-copies.ts';
import { makeWorkingCopy } from '@turnwright/base/working-copies/make-working-copy.ts';
import { runGitHere } from '@turnwright/base/working-copies/run-git-here.ts';
import type { EvalCase } from '../case/eval-case.ts';

export interface RunFolder {
  /** Absolute. */
  readonly path: string;
  /** What the run changed, as git prints it. Rejects with what git says. */
  diff(): Promise<string>;
  /** Never rejects. */
  remove(): Promise<void>;
}

export interface RunFolders {
  /** `name`: of a file. Rejects with what git says when the commit is not there or the patch does not fit. */
  make(one: Pick<EvalCase, 'state'>, name: string, signal: AbortSignal): Promise<RunFolder>;
  /** Removes what is left. Never rejects. */
  close(): Promise<void>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where the copies are, for a process that comes after a killed one. */
const PLACE = 'copies';
const PREFIX = 'turnwright-eval';

/** `folder`: that of the eval. What a killed process left is removed first: no run goes on with it. */
export async function openRunFolders(folder: string, env: Env): Promise<RunFolders> {
  const earlier = await readFile(join(folder, PLACE), 'utf8').catch(() => undefined);
  if (earlier !== undefined && (await isOurs(earlier))) await removeAll(earlier, env);
  const parent = await makeTemporaryFolder(PREFIX);
  await writeFile(join(folder, PLACE), parent, { mode: 0o600 });
  return {
    make: ({ state }, name, signal) =>
      state.repository === undefined
        ? copyTree(state.files, join(parent, name), env)
        : checkOut(state, state.repository, { parent, name, env, signal }),
    async close() {
      await removeAll(parent, env).catch(() => undefined);
      await rm(join(folder, PLACE), { force: true });
    },
  };
}

/** The name could be a stranger's, who put the file into a repository. */
async function isOurs(path: string): Promise<boolean> {
  if (dirname(path) !== tmpdir() || !basename(path).startsWith(`${PREFIX}-`)) return false;
  const stat = await lstat(path).catch(() => undefined);
  return stat?.isDirectory() === true && (process.getuid === undefined || stat.uid === process.getuid());
}

async function removeAll(parent: string, env: Env): Promise<void> {
  for (const { container } of await findLeftCopies(parent)) {
    const record = await readCopyRecord(container);
    if (record !== undefined) await discardContainer(container, record, env).catch(() => undefined);
  }
  await rm(parent, { recursive: true, force: true });
}

/** A case without a state begins with an empty folder. */
async function copyTree(files: string | undefined, path: string, env: Env): Promise<RunFolder> {
  if (files === undefined) await mkdir(path);
  else await cp(files, path, { recursive: true, verbatimSymlinks: true });
  return {
    path,
    async diff() {
      const store = `${path}.git`;
      const at = (cwd: string) => ({ cwd, env, git: { GIT_DIR: store, GIT_WORK_TREE: cwd } });
      await mkdir(store, { recursive: true });
      await runGitHere(['init', '--quiet', '--bare', '.'], { cwd: store, env });
      const before = files === undefined ? EMPTY_TREE : await writeTree(at(files));
      return (await compareTrees(before, await writeTree(at(path)), at(path))).text;
    },
    async remove() {
      for (const each of [path, `${path}.git`])
        await rm(each, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

/** As git names it. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function checkOut(
  { patch, files }: EvalCase['state'],
  { path: folder, commit }: NonNullable<EvalCase['state']['repository']>,
  {
    parent,
    name,
    env,
    signal,
  }: { readonly parent: string; readonly name: string; readonly env: Env; readonly signal: AbortSignal },
): Promise<RunFolder> {
  const copy = await makeWorkingCopy({ folder, parent, name, env, commit, ignored: 'none', signal });
  const remove = () => copy.discard().catch(() => undefined);
  try {
    if (patch !== undefined) {
      const file = join(copy.container, 'patch.diff');
      await writeFile(file, patch);
      const root = join(copy.container, 'files');
      await runGitHere(['apply', '--whitespace=nowarn', file], { cwd: root, env, signal });
    }
    if (files !== undefined) await cp(files, copy.path, { recursive: true, verbatimSymlinks: true });
    if (patch !== undefined || files !== undefined) await copy.markBeginning();
    return { path: copy.path, diff: async () => (await copy.compare(signal)).text, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
