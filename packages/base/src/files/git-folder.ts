/** Reads a working tree's `.git` without git: nothing that a repository names is started or followed. */
import { basename, dirname, join, resolve } from 'node:path';
import type { PersistentFiles } from '../persistent-files.ts';
import { isReallyInside } from './inside.ts';

type Files = Pick<PersistentFiles, 'lstat' | 'readRange' | 'realpath'>;

export interface GitFolder {
  /** Of the working tree; absolute. */
  readonly root: string;
  /** Folder of this working tree only: HEAD and the index. */
  readonly own: string;
  /** Folder shared by all working trees: objects, refs and configuration. */
  readonly common: string;
}

export interface GitHead {
  /** undefined: HEAD is detached. */
  readonly branch: string | undefined;
  /** The commit's id; undefined: there is none yet. */
  readonly commit: string | undefined;
}

/**
 * Of the repository that contains `folder`; undefined outside of one, and for a `.git` that leads to a
 * repository which does not name this working tree in turn: such a file can be forged.
 */
export async function findGitFolder(folder: string, files: Files): Promise<GitFolder | undefined> {
  for (let root = folder; ; root = dirname(root)) {
    const path = join(root, '.git');
    const kind = (await files.lstat(path).catch(() => undefined))?.kind;
    // Like git, which ignores a folder of that name that is not a repository.
    const isOne =
      kind === 'directory' && (await files.lstat(join(path, 'HEAD')).catch(() => undefined)) !== undefined;
    if (isOne) return (await sharesAnother(path, files)) ? undefined : { root, own: path, common: path };
    if (kind === 'file') return linked(root, files);
    if ((kind !== undefined && kind !== 'directory') || dirname(root) === root) return undefined;
  }
}

/**
 * Whether a `.git` refers to objects and configuration elsewhere, as only the folder of a linked working tree
 * does.
 */
export async function sharesAnother(path: string, files: Files): Promise<boolean> {
  const named = join(path, 'commondir');
  // The sandbox writes "here" during a command, so that nothing else can be written.
  return (
    (await files.lstat(named).catch(() => undefined)) !== undefined && (await firstLine(named, files)) !== '.'
  );
}

/** A linked working tree, or a submodule. */
async function linked(root: string, files: Files): Promise<GitFolder | undefined> {
  const path = join(root, '.git');
  const [, named] = /^gitdir:\s*(.+)$/.exec((await firstLine(path, files)) ?? '') ?? [];
  if (named === undefined) return undefined;
  const own = resolve(root, named);
  const shared = await firstLine(join(own, 'commondir'), files);
  if (shared === undefined) {
    const [, worktree] =
      /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec((await readConfigFile(own, files)) ?? '') ?? [];
    const isNamed = worktree !== undefined && (await isSame(resolve(own, worktree), root, files));
    return isNamed ? { root, own, common: own } : undefined;
  }
  const common = resolve(own, shared);
  const back = await firstLine(join(own, 'gitdir'), files);
  const isNamed =
    back !== undefined &&
    (await isSame(resolve(own, back), path, files)) &&
    (await isSame(dirname(own), join(common, 'worktrees'), files));
  return isNamed ? { root, own, common } : undefined;
}

/**
 * The working trees of a folder's repository: the folder itself first; the only one if it is in no
 * repository. A tree counts only if the repository and the tree name each other, so a folder cannot claim
 * another one by naming it (T106).
 */
export async function listWorktrees(files: PersistentFiles, folder: string): Promise<readonly string[]> {
  const git = await findGitFolder(folder, files);
  if (git === undefined) return [folder];
  return [...new Set([folder, dirname(git.common), ...(await linkedTrees(git, files))])];
}

/** The linked working trees of a repository that lead back to it; absolute. */
async function linkedTrees(
  { common }: Pick<GitFolder, 'common'>,
  files: Files & Pick<PersistentFiles, 'readDir'>,
): Promise<readonly string[]> {
  const folder = join(common, 'worktrees');
  const names = await files.readDir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const back = await firstLine(join(folder, name, 'gitdir'), files);
      if (back === undefined) return [];
      const path = resolve(folder, name, back);
      if (basename(path) !== '.git') return [];
      const tree = await linked(dirname(path), files);
      return tree !== undefined && (await isSame(tree.common, common, files)) ? [tree.root] : [];
    }),
  );
  return found.flat();
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Valid branch names of git. */
const BRANCH = /^(?!.*(?:\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)))[^\s~^:?*[\\\p{C}/.][^\s~^:?*[\\\p{C}]{0,200}$/u;
const MAX_REFS_BYTES = 8 * 1024 * 1024;

/** undefined: it says neither a branch nor a commit. */
export async function readHead({ own, common }: GitFolder, files: Files): Promise<GitHead | undefined> {
  const head = await firstLine(join(own, 'HEAD'), files);
  if (head === undefined) return undefined;
  if (COMMIT.test(head)) return { branch: undefined, commit: head };
  const [, branch] = /^ref:\s*refs\/heads\/(.+)$/.exec(head) ?? [];
  if (branch === undefined || !BRANCH.test(branch)) return undefined;
  return { branch, commit: await readCommit(`refs/heads/${branch}`, common, files) };
}

async function readCommit(ref: string, common: string, files: Files): Promise<string | undefined> {
  const file = join(common, ref);
  const loose = (await isReallyInside(file, common, files)) ? await firstLine(file, files) : undefined;
  if (loose !== undefined) return COMMIT.test(loose) ? loose : undefined;
  const packed = (await readSmallFile(join(common, 'packed-refs'), MAX_REFS_BYTES, files)) ?? '';
  const line = packed.split('\n').find((each) => each.trimEnd().endsWith(` ${ref}`));
  const [commit = ''] = line?.split(' ') ?? [];
  return COMMIT.test(commit) ? commit : undefined;
}

const MAX_CONFIG_BYTES = 256 * 1024;

export function readConfigFile(folder: string, files: Files): Promise<string | undefined> {
  return readSmallFile(join(folder, 'config'), MAX_CONFIG_BYTES, files);
}

/**
 * The branch that a folder is on; of a commit without one its first characters. undefined: it is in no
 * repository, or that cannot be read.
 */
export async function readBranch(cwd: string, files: Files): Promise<string | undefined> {
  const git = await findGitFolder(cwd, files).catch(() => undefined);
  const head = git && (await readHead(git, files).catch(() => undefined));
  return head?.branch ?? head?.commit?.slice(0, COMMIT_CHARS);
}

const COMMIT_CHARS = 7;

async function firstLine(path: string, files: Files): Promise<string | undefined> {
  const line = (await readSmallFile(path, 4096, files))?.split('\n', 1)[0]?.trim();
  return line === '' ? undefined : line;
}

/** undefined: not a file, a link, longer, or unreadable. */
export async function readSmallFile(
  path: string,
  maxBytes: number,
  files: Files,
): Promise<string | undefined> {
  try {
    const stat = await files.lstat(path);
    if (stat?.kind !== 'file' || stat.size > maxBytes) return undefined;
    return new TextDecoder().decode(await files.readRange(path, 0, maxBytes));
  } catch {
    return undefined;
  }
}

async function isSame(a: string, b: string, files: Pick<PersistentFiles, 'realpath'>): Promise<boolean> {
  try {
    return (await files.realpath(a)) === (await files.realpath(b));
  } catch {
    return false;
  }
}
