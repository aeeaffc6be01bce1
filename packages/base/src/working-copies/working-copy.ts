/** A finished working copy: files are put into it, it is compared with its beginning, and removed. */
import * as fs from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isInside } from '../files/inside.ts';
import { writeAtomic } from '../files/write-atomic.ts';
import { errorText } from '../text/error-text.ts';
import { commitCopy } from './commit-copy.ts';
import { type CopyDifference, compareTrees } from './compare-trees.ts';
import { type CopyRecord, writeCopyRecord } from './copy-record.ts';
import { fingerprintFiles, listIgnored, writeTree } from './folder-states.ts';
import { discardContainer } from './left-copies.ts';
import { findUnfinishedWork } from './proven-unused.ts';
import { type GitPlace, runGitHere, withoutRepositoryFilters } from './run-git-here.ts';

/** One file as it is to be in a copy. */
export interface FileState {
  /** Absolute in the folder that was copied, or relative to it. */
  readonly path: string;
  /** null: no such file. */
  readonly content: Uint8Array | string | null;
  /** Permissions; default: those of the file that is there, else the usual ones. */
  readonly mode?: number | undefined;
}

export interface WorkingCopy {
  /** The copy of the folder; absolute, without links. Let the agent work here. */
  readonly path: string;
  /** The folder that all of it lies in: `<parent>/<name>`. */
  readonly container: string;
  readonly kind: 'worktree' | 'copy';
  /** What differs from the folder, in sentences without a full stop. */
  readonly notes: readonly string[];
  /** Puts these files as they are given; resolves to those that could not be, and why. */
  putFiles(states: readonly FileState[]): Promise<readonly { readonly path: string; readonly why: string }[]>;
  /** From here on, the files as they are now are its beginning. */
  markBeginning(): Promise<void>;
  /** What changed since its beginning, without what git ignores. */
  compare(signal?: AbortSignal): Promise<CopyDifference>;
  /**
   * Removes it if nothing was changed since its beginning: no file, ignored ones included, and no commit was
   * made. Else it stays, and `why` says what was found.
   */
  removeUnlessUsed(): Promise<{ readonly removed: boolean; readonly why?: string }>;
  /** What changed, as `git apply` takes it; '' for nothing. */
  makePatch(): Promise<string>;
  /** See `commitCopy`; `name` names the ref. */
  commitTo(name: string): Promise<string>;
  /** Removes it with everything in it. */
  discard(): Promise<void>;
  /**
   * The folder itself, to put files in and to compare it; this copy then holds what was there before. Its
   * `removeUnlessUsed` removes nothing, and its `discard` rejects.
   */
  openOriginal(): WorkingCopy;
}

interface CopyParts {
  readonly container: string;
  readonly record: CopyRecord;
  /** Of the folder in the repository; '' for its root. */
  readonly prefix: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly notes: readonly string[];
  /** Default: the files of the copy. */
  readonly files?: string;
}

export function openWorkingCopy(parts: CopyParts): WorkingCopy {
  const { container, record, prefix, env, notes, files = join(container, 'files') } = parts;
  const isOriginal = files === record.root;
  const path = join(files, prefix);
  let beginning = record;

  async function place(signal?: AbortSignal): Promise<GitPlace> {
    const compare = join(container, 'compare');
    if (record.kind === 'copy')
      return { cwd: files, env, signal, git: { GIT_DIR: join(compare, 'git'), GIT_WORK_TREE: files } };
    const common = record.repository ?? '';
    const filters = await withoutRepositoryFilters({ cwd: common, env, signal });
    // Not through `.git` of the copy, which the agent could have changed.
    return {
      cwd: files,
      env,
      signal,
      git: {
        ...filters,
        GIT_DIR: common,
        GIT_WORK_TREE: files,
        GIT_INDEX_FILE: join(compare, 'index'),
        GIT_OBJECT_DIRECTORY: join(compare, 'objects'),
        GIT_ALTERNATE_OBJECT_DIRECTORIES: join(common, 'objects'),
      },
    };
  }

  const fingerprint = async (at: GitPlace) =>
    fingerprintFiles((await listIgnored(at)).map((each) => join(files, each)));

  async function findUse(): Promise<string | undefined> {
    const at = await place();
    const { files: changed } = await compareTrees(beginning.tree ?? '', await writeTree(at), at);
    const [first] = changed;
    if (first !== undefined)
      return changed.length === 1
        ? `${first.path} was ${first.status}`
        : `${changed.length} files were changed`;
    if (beginning.commit !== undefined) {
      const head = await runGitHere(['rev-parse', 'HEAD'], { cwd: files, env });
      if (head.trim() !== beginning.commit) return 'a commit was made';
      const unfinished = await findUnfinishedWork({ cwd: files, env }, beginning.commit);
      if (unfinished !== undefined) return unfinished;
    }
    return (await fingerprint(at)) === beginning.ignored ? undefined : 'files that git ignores were changed';
  }

  const discard = () => discardContainer(container, beginning, env);

  return {
    path,
    container,
    kind: record.kind,
    notes,
    async putFiles(states) {
      const left: { path: string; why: string }[] = [];
      for (const state of states) {
        const why = await putFile(state, { files, path, from: record.folder }).catch(errorText);
        if (why !== undefined) left.push({ path: state.path, why });
      }
      return left;
    },
    async markBeginning() {
      const at = await place();
      const [tree, ignored] = [await writeTree(at), await fingerprint(at)];
      beginning = { ...beginning, tree, ignored };
      if (!isOriginal) await writeCopyRecord(container, beginning);
    },
    async compare(signal) {
      const at = await place(signal);
      return compareTrees(beginning.tree ?? '', await writeTree(at), at);
    },
    async makePatch() {
      const at = await place();
      const args = ['diff-tree', '-r', '-p', '--binary', '--no-color', '--no-ext-diff', '--no-textconv'];
      return runGitHere([...args, beginning.tree ?? '', await writeTree(at)], at);
    },
    commitTo: (name) => commitCopy({ container, record, name }, { env }),
    async removeUnlessUsed() {
      if (isOriginal) return { removed: false, why: 'it is the folder itself' };
      const why = await findUse().catch((error: unknown) => `it could not be compared (${errorText(error)})`);
      if (why !== undefined) return { removed: false, why };
      await discard();
      return { removed: true };
    },
    async discard() {
      if (isOriginal) throw new Error(`${files} is the folder itself, which is not removed.`);
      await discard();
    },
    openOriginal: () => openWorkingCopy({ ...parts, record: beginning, files: record.root }),
  };
}

/** Resolves to why it was not put. */
async function putFile(
  { path, content, mode }: FileState,
  copy: { readonly files: string; readonly path: string; readonly from: string },
): Promise<string | undefined> {
  const target = isAbsolute(path) ? resolve(copy.path, relative(copy.from, path)) : resolve(copy.path, path);
  if (!isInside(target, copy.files)) return 'it lies outside of the folder';
  const folder = dirname(target);
  const standing = await findStanding(folder);
  if (!isInside(await fs.realpath(standing), copy.files)) return 'a link leads out of the copy there';
  const found = await fs.lstat(target).catch(() => undefined);
  if (found?.isDirectory() === true) return 'there is a folder of that name';
  if (content === null) return void (await fs.rm(target, { force: true }));
  await fs.mkdir(folder, { recursive: true });
  if (found?.isSymbolicLink() === true) await fs.rm(target);
  await writeAtomic(target, content, { plain: true });
  if (mode !== undefined) await fs.chmod(target, mode);
  return undefined;
}

/** The nearest folder above that exists. */
async function findStanding(folder: string): Promise<string> {
  const exists = await fs.lstat(folder).then(
    () => true,
    () => false,
  );
  return exists ? folder : findStanding(dirname(folder));
}
