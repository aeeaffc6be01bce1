/**
 * Working copies of a folder: places in which an agent may work while the folder itself stays as it is. Where
 * there is a git repository with a commit, a copy is a linked working tree of it (`git worktree`), with the
 * uncommitted state; elsewhere the files are copied.
 *
 *     <parent>/<name>/files      the copy of the repository's root, or of the folder
 *     <parent>/<name>/compare    what it is compared with: objects and an index of their own
 *     <parent>/<name>/copy.json  what it is a copy of, and whether it was finished
 */
import * as fs from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isInside } from '../files/inside.ts';
import { uuid } from '../ids/hash-and-uuid.ts';
import { thisProcess } from '../process/process-identity.ts';
import { codeOf } from '../text/error-text.ts';
import { type CopyRecord, writeCopyRecord } from './copy-record.ts';
import {
  fingerprintFiles,
  listIgnored,
  listInnerRepositories,
  measureFiles,
  writeTree,
} from './folder-states.ts';
import { discardContainer } from './left-copies.ts';
import { type GitPlace, runGitHere, withoutRepositoryFilters } from './run-git-here.ts';
import { openWorkingCopy, type WorkingCopy } from './working-copy.ts';

/** In bytes: files of a folder without a repository, and those that git ignores. */
const MAX_COPIED_BYTES = 1024 * 1024 * 1024;

export interface WorkingCopyRequest {
  /** Absolute. In a repository all of it is copied, and `path` is this folder's copy. */
  readonly folder: string;
  /** Absolute: where copies are made; created (0700) if missing. Not inside the folder or its repository. */
  readonly parent: string;
  /** Names this copy in `parent`: a file name. */
  readonly name: string;
  /** PATH and HOME for git. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * In a repository: files of this commit alone. Default: HEAD, with everything that is not committed and not
   * ignored.
   */
  readonly commit?: string | undefined;
  /**
   * Files that git ignores (`node_modules`, `.env`, build results): `copy` (the default) as far as they have
   * at most `maxBytes`, else they are left out and `notes` names them; `none`: left out.
   */
  readonly ignored?: 'copy' | 'none' | undefined;
  /** In bytes; default 1 GB. */
  readonly maxBytes?: number | undefined;
  /** Ends the making; what was made by then is removed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a working copy. Of what is not committed, the difference between staged and not staged is not kept,
 * and of modes only the executable bit is; submodules and clones inside the folder are empty in the copy,
 * which `notes` says. Hooks of git do not run, nor do filters that the repository's own configuration names.
 *
 * @throws an Error with a sentence: the name is taken, git is missing or refuses the repository, the folder
 * does not exist, is too large to copy, or holds `parent`.
 */
export async function makeWorkingCopy(request: WorkingCopyRequest): Promise<WorkingCopy> {
  const { parent, name, env, signal } = request;
  const folder = await fs.realpath(request.folder).catch(() => {
    throw new Error(`${request.folder} does not exist.`);
  });
  const source = await findSource(folder, { cwd: folder, env, signal });
  await fs.mkdir(parent, { recursive: true, mode: 0o700 });
  const place = await fs.realpath(parent);
  if (isInside(place, source.root))
    throw new Error(`${parent} lies in ${source.root}, which is to be copied. Name a folder outside of it.`);
  const record: CopyRecord = {
    version: 1,
    state: 'making',
    folder,
    root: source.root,
    kind: source.commit === undefined ? 'copy' : 'worktree',
    ...(source.commonFolder !== undefined && { repository: source.commonFolder }),
    madeAt: new Date().toISOString(),
    owner: thisProcess(),
  };
  const container = await reserve(place, name, record);
  try {
    const filled = await (source.commit === undefined ? copyFolder : addWorktree)(container, source, request);
    const { notes, ...state } = filled;
    const finished: CopyRecord = { ...record, ...state, state: 'ready' };
    signal?.throwIfAborted();
    await writeCopyRecord(container, finished);
    const prefix = relative(source.root, folder);
    return openWorkingCopy({ container, record: finished, prefix, env, notes });
  } catch (error) {
    await discardContainer(container, record, env).catch(() => undefined);
    throw error;
  }
}

interface Source {
  /** Of the repository, or the folder itself. */
  readonly root: string;
  /** undefined: no repository, or one without a commit. */
  readonly commit: string | undefined;
  /** Of this working tree, and the one that all working trees of the repository share. */
  readonly gitFolder?: string;
  readonly commonFolder?: string;
}

async function findSource(folder: string, place: GitPlace): Promise<Source> {
  const args = ['rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const found = await runGitHere(args, place).catch((error: Error) => {
    if (/not a git repository|must be run in a work tree/.test(error.message)) return undefined;
    throw error;
  });
  if (found === undefined) return { root: folder, commit: undefined };
  const [root = folder, gitFolder = '', common = ''] = found.trimEnd().split('\n');
  const commit = await runGitHere(['rev-parse', '--verify', '-q', 'HEAD^{commit}'], place).catch(
    () => undefined,
  );
  if (commit === undefined) return { root: folder, commit: undefined };
  const commonFolder = common.startsWith('/') ? common : await fs.realpath(join(folder, common));
  return { root: await fs.realpath(root), commit: commit.trim(), gitFolder, commonFolder };
}

/** A folder of this name with the record in it, made aside: another process never sees it without. */
async function reserve(parent: string, name: string, record: CopyRecord): Promise<string> {
  if (name === '' || name.startsWith('.') || /[/\\\0]/.test(name))
    throw new Error(
      `${JSON.stringify(name)} cannot name a working copy: use a file name without a dot in front.`,
    );
  const aside = join(parent, `.${name}.${uuid()}`);
  await fs.mkdir(aside, { mode: 0o700 });
  try {
    await writeCopyRecord(aside, record);
    await fs.rename(aside, join(parent, name));
  } catch (error) {
    await fs.rm(aside, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String(codeOf(error)))) throw error;
    throw new Error(`There is ${join(parent, name)} already. Use another name, or remove it.`);
  }
  return join(parent, name);
}

interface Filled extends Pick<CopyRecord, 'tree' | 'ignored' | 'commit'> {
  readonly notes: readonly string[];
}

async function addWorktree(
  container: string,
  { root, commit: head = '', gitFolder = '', commonFolder = '' }: Source,
  { commit: wanted, env, signal, ...request }: WorkingCopyRequest,
): Promise<Filled> {
  const files = join(container, 'files');
  const compare = join(container, 'compare');
  const here: GitPlace = { cwd: root, env, signal };
  const filters = await withoutRepositoryFilters(here);
  const commit =
    wanted === undefined
      ? head
      : (await runGitHere(['rev-parse', '--verify', `${wanted}^{commit}`], here)).trim();
  await fs.mkdir(join(compare, 'objects'), { recursive: true });
  // The caller's repository gets no objects of what was never committed.
  const objects = {
    ...filters,
    GIT_OBJECT_DIRECTORY: join(compare, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(commonFolder, 'objects'),
  };
  const index = join(compare, 'index');
  const apart: GitPlace = { ...here, git: { ...objects, GIT_INDEX_FILE: index } };
  let tree = `${commit}^{tree}`;
  if (wanted === undefined) {
    await fs.copyFile(join(gitFolder, 'index'), index).catch(unlessMissingIndex);
    tree = await writeTree(apart);
  }
  tree = (await runGitHere(['rev-parse', tree], apart)).trim();
  const git = { ...here, git: filters };
  await runGitHere(['worktree', 'add', '--quiet', '--detach', '--no-checkout', files, commit], git);
  const there: GitPlace = { cwd: files, env, signal, git: objects };
  await runGitHere(['read-tree', '--reset', '-u', tree], there);
  await fs.copyFile(await findIndex(there), index);
  await runGitHere(['reset', '--quiet', '--mixed', commit], there);
  const inner = await listInnerRepositories(tree, apart);
  const notes = inner.map((path) => `${path} is empty in the copy: it is a repository of its own`);
  if (wanted === undefined && request.ignored !== 'none')
    notes.push(...(await copyIgnored(root, files, await listIgnored(here), request.maxBytes)));
  return { commit, tree, ignored: await fingerprintIgnored(files, { ...there, git: filters }), notes };
}

const findIndex = async (place: GitPlace): Promise<string> =>
  (await runGitHere(['rev-parse', '--path-format=absolute', '--git-path', 'index'], place)).trim();

const fingerprintIgnored = async (files: string, place: GitPlace): Promise<string> =>
  fingerprintFiles((await listIgnored(place)).map((path) => join(files, path)));

function unlessMissingIndex(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/** Returns what was left out, in sentences. */
async function copyIgnored(
  from: string,
  to: string,
  paths: readonly string[],
  maxBytes = MAX_COPIED_BYTES,
): Promise<string[]> {
  const left: string[] = [];
  let room = maxBytes;
  for (const path of paths) {
    const { bytes } = await measureFiles([join(from, path)], room);
    if (bytes > room) {
      left.push(`${path} was not copied: git ignores it, and it is larger than ${inMegabytes(room)}`);
      continue;
    }
    room -= bytes;
    await copyPath(join(from, path), join(to, path));
  }
  return left;
}

/** Links stay links, with the text that they have. Blocks are shared where the file system can. */
async function copyPath(from: string, to: string): Promise<void> {
  await fs.mkdir(dirname(to), { recursive: true });
  await fs.cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    mode: fs.constants.COPYFILE_FICLONE,
    // Sockets and pipes have no content.
    filter: async (path) => {
      const stat = await fs.lstat(path).catch(() => undefined);
      return stat !== undefined && (stat.isFile() || stat.isDirectory() || stat.isSymbolicLink());
    },
  });
}

/** Folders of packages, which a folder without a .gitignore does not name. */
const NEVER_COMPARED = 'node_modules/\n.venv/\nvenv/\n__pycache__/\n';

async function copyFolder(
  container: string,
  { root }: Source,
  { env, signal, maxBytes = MAX_COPIED_BYTES, ignored = 'copy' }: WorkingCopyRequest,
): Promise<Filled> {
  const files = join(container, 'files');
  const store = join(container, 'compare', 'git');
  await fs.mkdir(files, { recursive: true });
  await fs.mkdir(store, { recursive: true });
  await runGitHere(['init', '--quiet', '--bare', '.'], { cwd: store, env, signal });
  await fs.mkdir(join(store, 'info'), { recursive: true });
  await fs.writeFile(join(store, 'info', 'exclude'), NEVER_COMPARED);
  const at = (cwd: string): GitPlace => ({ cwd, env, signal, git: { GIT_DIR: store, GIT_WORK_TREE: cwd } });
  const listed = await runGitHere(['ls-files', '-z', '--others', '--exclude-standard'], at(root));
  const paths = listed.split('\0').filter((path) => path !== '' && path !== `.git${sep}`);
  const { bytes } = await measureFiles(
    paths.map((path) => join(root, path)),
    maxBytes,
  );
  if (bytes > maxBytes)
    throw new Error(
      `${root} is no git repository and holds more than ${inMegabytes(maxBytes)}, which is the limit of a copy. ` +
        'Put it under git (git init, git add, git commit), or leave large files to a .gitignore.',
    );
  for (const path of paths) {
    signal?.throwIfAborted();
    await copyPath(join(root, path), join(files, path));
  }
  const left = ignored === 'none' ? [] : await listIgnored(at(root));
  const notes = await copyIgnored(root, files, left, maxBytes);
  const tree = await writeTree(at(files));
  for (const path of await listInnerRepositories(tree, at(files)))
    notes.push(`${path} is a repository of its own: what changes in it is not compared`);
  return { tree, ignored: await fingerprintIgnored(files, at(files)), notes };
}

const inMegabytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`;
