/**
 * Whether git may be started where it is: its repository's configuration, hooks and submodules may name
 * programs.
 */
import { dirname, join, resolve } from 'node:path';
import {
  findGitFolder,
  type GitFolder,
  readSmallFile,
  sharesAnother,
} from '@turnwright/base/files/git-folder.ts';
import { gitlinksIn } from '@turnwright/base/files/git-index.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import type { FileStat } from '@turnwright/base/persistent-files.ts';
import type { DiskReader } from '../decide/resolved-path.ts';
import { type GitConfig, readGitConfig } from './git-config.ts';

/** `none`: there is no repository. `unclear`: git may take something for one that is not what it seems. */
type Repository = GitFolder | 'none' | 'unclear';
export type KnownRepository = Exclude<Repository, 'unclear'>;

/**
 * The repository that git finds from a folder (its real path). A folder with the layout of a repository
 * outside of `.git` may have been created by an attacker, and so may a `.git` that git ignores.
 */
export async function repositoryFrom(folder: string, files: DiskReader): Promise<Repository> {
  const isThere = async (path: string) => (await files.lstat(path)) !== undefined;
  const { readRange } = files;
  try {
    for (let root = folder; ; root = dirname(root)) {
      const kind = (await readKind(join(root, '.git'), files)) ?? 'nothing';
      const bare = await isThere(join(root, 'HEAD'));
      if (kind === 'directory' && (await isThere(join(root, '.git', 'HEAD')))) {
        const path = join(root, '.git');
        const shares =
          (await isThere(join(path, 'commondir'))) &&
          (readRange === undefined || (await sharesAnother(path, reader(files, readRange))));
        return shares ? 'unclear' : { root, own: path, common: path };
      }
      if (bare) return 'unclear';
      if (kind === 'file') {
        if (readRange === undefined) return 'unclear';
        const found = await findGitFolder(root, reader(files, readRange));
        return found ?? 'unclear';
      }
      if (kind !== 'nothing' && kind !== 'directory') return 'unclear';
      if (dirname(root) === root) return 'none';
    }
  } catch {
    return 'unclear';
  }
}

const reader = (files: DiskReader, readRange: NonNullable<DiskReader['readRange']>) => ({
  lstat: (path: string) => files.lstat(path),
  realpath: (path: string) => files.realpath(path),
  readRange: readRange.bind(files),
});

/** undefined: there is nothing. */
const readKind = async (path: string, files: DiskReader) => (await files.lstat(path))?.kind;

/** More submodules than these are not looked at. */
const MAX_SUBMODULES = 50;
const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/**
 * Whether looking at it starts nothing and shows nothing of another repository: no program is named by its
 * configuration, a hook or a submodule, and its objects are its own.
 */
export async function runsNothing(repository: KnownRepository, files: DiskReader): Promise<boolean> {
  if (repository === 'none') return true;
  return isHarmless(repository, files, { left: MAX_SUBMODULES }).catch(() => false);
}

async function isHarmless(
  repository: GitFolder,
  files: DiskReader,
  open: { left: number },
): Promise<boolean> {
  const { root, own, common } = repository;
  const { readRange, readDir } = files;
  if (readRange === undefined || readDir === undefined || open.left-- < 0) return false;
  const modules = await foldersIn(join(common, 'modules'), files);
  if (modules === undefined || modules.length > MAX_SUBMODULES) return false;
  const read = reader(files, readRange);
  let hashBytes: GitConfig['hashBytes'] = 20;
  for (const folder of new Set([common, own, ...modules]))
    for (const name of folder === own && own !== common
      ? ['config.worktree']
      : ['config', 'config.worktree']) {
      const path = join(folder, name);
      if ((await readKind(path, files)) === undefined) continue;
      const text = await readSmallFile(path, MAX_CONFIG_BYTES, read);
      const config = text === undefined ? undefined : readGitConfig(text);
      if (config === undefined) return false;
      if (folder !== common && folder !== own) continue;
      if (config.hashBytes === 32) hashBytes = 32;
      if (!config.paths.every((value) => isInside(resolve(folder, value), root))) return false;
    }
  for (const folder of [common, ...modules])
    if ((await readKind(join(folder, 'hooks', 'post-index-change'), files)) !== undefined) return false;
  return (
    (await isOfItsOwn(repository, files)) && (await submodulesAreHarmless(repository, hashBytes, files, open))
  );
}

const OBJECT_FOLDER = /^(?:[0-9a-f]{2}|info|pack)$/;

/** Objects and references lie in it and nowhere else, and nothing in it makes who reads it wait. */
async function isOfItsOwn({ root, own, common }: GitFolder, files: DiskReader): Promise<boolean> {
  const kinds = (folder: string, names: readonly string[]) =>
    Promise.all(names.map((name) => readKind(join(folder, name), files)));
  const objects = join(common, 'objects');
  const ofObjects = await readKind(objects, files);
  const inObjects = ofObjects === 'directory' ? await readFolder(objects, files) : [];
  const folders = [
    ofObjects,
    ...(await kinds(common, ['refs', 'info', 'logs'])),
    ...inObjects.flatMap(([name, kind]) => (OBJECT_FOLDER.test(name) ? [kind] : [])),
  ];
  const single = [
    ...(await kinds(own, ['HEAD', 'index'])),
    ...(await kinds(common, ['packed-refs', 'info/exclude', 'info/attributes', 'info/grafts'])),
  ];
  // Git follows no links of these names.
  const inTree = await kinds(root, ['.gitignore', '.gitattributes', '.gitmodules', '.mailmap']);
  return (
    folders.every((kind) => kind === undefined || kind === 'directory') &&
    single.every((kind) => kind === undefined || kind === 'file') &&
    !inTree.includes('other') &&
    (await readKind(join(objects, 'info', 'alternates'), files)) === undefined
  );
}

/** What is in a folder, by name. */
async function readFolder(
  folder: string,
  files: DiskReader,
): Promise<readonly (readonly [string, FileStat['kind'] | undefined])[]> {
  if (files.readKinds !== undefined) return [...(await files.readKinds(folder))];
  const names = (await files.readDir?.(folder)) ?? [];
  return Promise.all(names.map(async (name) => [name, await readKind(join(folder, name), files)] as const));
}

/** git starts another git in each submodule that its index names and that is there. */
async function submodulesAreHarmless(
  { root, own, common }: GitFolder,
  hashBytes: GitConfig['hashBytes'],
  files: DiskReader,
  open: { left: number },
): Promise<boolean> {
  const { readRange } = files;
  const index = await files.lstat(join(own, 'index'));
  if (index === undefined) return true;
  if (readRange === undefined || index.size > MAX_INDEX_BYTES) return false;
  const links = gitlinksIn(await readRange.call(files, join(own, 'index'), 0, index.size), hashBytes);
  if (links === undefined) return false;
  for (const link of links) {
    const at = join(root, link);
    if ((await readKind(join(at, '.git'), files)) === undefined) continue;
    if (!isInside(at, root) || (await files.realpath(at)) !== at) return false;
    const git = await findGitFolder(at, reader(files, readRange));
    const places = [join(at, '.git'), join(own, 'modules'), join(common, 'modules')];
    const isOwn =
      git?.root === at &&
      places.some((place) => isInside(git.own, place)) &&
      (await files.realpath(git.own)) === git.own &&
      (await readKind(join(git.own, 'commondir'), files)) === undefined;
    if (!isOwn || !(await isHarmless(git, files, open))) return false;
  }
  return true;
}

/** The repositories of submodules, nested ones too. */
async function foldersIn(folder: string, files: DiskReader): Promise<readonly string[] | undefined> {
  if ((await readKind(folder, files)) === undefined) return [];
  const found: string[] = [];
  const open = [folder];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const name of (await files.readDir?.(path)) ?? []) {
      const child = join(path, name);
      if ((await readKind(child, files)) !== 'directory') continue;
      if ((await readKind(join(child, 'HEAD'), files)) === undefined) open.push(child);
      else {
        found.push(child);
        if ((await readKind(join(child, 'modules'), files)) !== undefined) open.push(join(child, 'modules'));
      }
      if (found.length + open.length > MAX_SUBMODULES * 4) return undefined;
    }
  }
  return found;
}
