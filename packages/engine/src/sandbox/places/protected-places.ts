/**
 * Which places below a writable folder must not be written, or read: those that are there, and those that are
 * not.
 */
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import {
  GRANTING_NAMES,
  LOCKED_IN_GIT,
  PROTECTED_ANYWHERE,
  PROTECTED_AT_HOME,
  PROTECTED_BELOW,
  PROTECTED_FILES,
  PROTECTED_WHERE_ABSENT,
} from '@turnwright/base/files/protected-names.ts';
import { matchesNames } from '@turnwright/base/search/name-pattern.ts';
import type { PathPattern } from '../policy.ts';
import { isLeftOver, isPlaceholder } from './placeholders.ts';

export interface FoundPlaces {
  /** They exist: read, and not written. */
  readonly readOnly: string[];
  /** They exist and are neither read nor written. */
  readonly hidden: string[];
  /** They do not exist, and must not come into being. */
  readonly absent: string[];
  /**
   * Of a git folder, a file that must not come into being and that git wants to read: it says that nothing is
   * elsewhere.
   */
  readonly ownFolder: string[];
  /**
   * Links in the place of what is protected: nothing can be laid over a link, so it is looked at again
   * afterwards.
   */
  readonly links: string[];
  /** Repositories of submodules: written, in a folder that is only read. */
  readonly reopened: { readonly path: string; readonly within: string }[];
  /** Of `readOnly`, what a rule denies writing. */
  readonly denied: string[];
  /** What grants rights where it lies, protected or not. */
  readonly granting: string[];
  /** Folders of repositories, those of submodules and linked working trees too. */
  readonly gitFolders: string[];
  /** Roots of working trees. */
  readonly trees: string[];
}

/** Looked for in every folder that is there. */
const BY_NAME: ReadonlySet<string> = new Set(PROTECTED_ANYWHERE);
const BELOW: ReadonlySet<string> = new Set(PROTECTED_BELOW);

/** Read by this program itself, where a session begins or works. */
const GRANTING: ReadonlySet<string> = new Set(GRANTING_NAMES);

/** Kept from coming into being in the home folder. */
const ABSENT_AT_HOME: readonly string[] = [
  ...PROTECTED_WHERE_ABSENT,
  ...PROTECTED_ANYWHERE,
  ...PROTECTED_AT_HOME,
];

/** What is read as a file where it is there; all else that is protected is a folder. */
const FILES: ReadonlySet<string> = new Set(PROTECTED_FILES.map((path) => basename(path)));

/** Whether a file is kept from coming into being there; else a folder. */
export function isFilesPlace(path: string): boolean {
  return FILES.has(basename(path));
}

/** Where a repository keeps those of its submodules. */
const MODULES = 'modules';

/** Folders that are looked into, nearest first; the search for what is deeper ends there. */
const MAX_FOLDERS = 20_000;
/** Commands lie in folders of folders. */
const MAX_LINK_DEPTH = 5;
/** Read at the same time. */
const AT_ONCE = 32;

interface PlacesBelow {
  readonly root: string;
  /** It is the folder of a repository itself, not one that files are worked on in. */
  readonly isGit: boolean;
  readonly home: string | undefined;
  readonly deniedReads: readonly PathPattern[];
  readonly deniedWrites: readonly PathPattern[];
}

/** Walks the folder; what cannot be read is passed over, since a command cannot read it either. */
export async function placesBelow(below: PlacesBelow): Promise<FoundPlaces> {
  const found: FoundPlaces = {
    readOnly: [],
    hidden: [],
    absent: [],
    ownFolder: [],
    links: [],
    reopened: [],
    denied: [],
    granting: [],
    gitFolders: [],
    trees: [],
  };
  if (below.isGit) await addGit(below.root, found);
  else await addTop(below, found);
  const hides = patternTest(below.deniedReads);
  const locks = patternTest(below.deniedWrites);
  let layer: readonly string[] = [below.root];
  let seen = 0;
  while (layer.length > 0 && seen < MAX_FOLDERS) {
    const next: string[] = [];
    for (let at = 0; at < layer.length && seen < MAX_FOLDERS; at += AT_ONCE) {
      const batch = layer.slice(at, at + AT_ONCE);
      seen += batch.length;
      await Promise.all(batch.map(async (folder) => next.push(...(await look(folder)))));
    }
    layer = next;
  }
  return found;

  async function look(folder: string): Promise<string[]> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const deeper: string[] = [];
    const above = basename(folder);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (isPlaceholder(path)) continue;
      const isFolder = entry.isDirectory();
      if (GRANTING.has(entry.name)) found.granting.push(path);
      if (entry.name === '.git') found.trees.push(folder);
      if (hides(path, entry)) {
        if (entry.isSymbolicLink()) found.links.push(path);
        else found.hidden.push(path);
      } else if (entry.name === '.git' && !locks(path, entry)) await addGit(path, found);
      else if (BY_NAME.has(entry.name) || BELOW.has(`${above}/${entry.name}`) || locks(path, entry)) {
        if (entry.isSymbolicLink()) found.links.push(path);
        else found.readOnly.push(path);
        if (locks(path, entry)) found.denied.push(path);
        if (isFolder) found.links.push(...(await linksBelow(path)));
      } else if (isFolder && entry.name !== 'node_modules') deeper.push(path);
    }
    return deeper;
  }
}

/** What is kept elsewhere, and found by a link in a protected folder. */
async function linksBelow(folder: string, depth = 0): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) return [path];
      return entry.isDirectory() && depth < MAX_LINK_DEPTH ? await linksBelow(path, depth + 1) : [];
    }),
  );
  return below.flat();
}

async function addTop({ root, home }: PlacesBelow, found: FoundPlaces): Promise<void> {
  const tops: [string, readonly string[]][] = [[root, PROTECTED_WHERE_ABSENT]];
  if (home !== undefined && isInside(home, root)) {
    tops.push([home, ABSENT_AT_HOME]);
    for (const name of PROTECTED_AT_HOME)
      if ((await readPlaceKind(join(home, name))) !== 'nothing') found.readOnly.push(join(home, name));
  }
  for (const [folder, names] of tops)
    for (const name of names) {
      const path = join(folder, name);
      if (found.absent.includes(path) || (await readPlaceKind(path)) !== 'nothing') continue;
      // One level at a time: what lies in a folder that is not there cannot be laid over.
      if ((await readPlaceKind(dirname(path))) === 'folder') found.absent.push(path);
    }
}

async function addGit(path: string, found: FoundPlaces): Promise<void> {
  const kind = await readPlaceKind(path);
  if (kind === 'link') found.links.push(path);
  else if (kind !== 'folder') found.readOnly.push(path);
  else {
    await addGitFolder(path, found);
    for (const name of await readdir(join(path, 'worktrees')).catch(() => []))
      await addGitFolder(join(path, 'worktrees', name), found);
  }
}

async function addGitFolder(folder: string, found: FoundPlaces): Promise<void> {
  found.gitFolders.push(folder);
  for (const name of LOCKED_IN_GIT) {
    const path = join(folder, name);
    const kind = await readPlaceKind(path);
    if (kind === 'link') found.links.push(path);
    else if (kind !== 'nothing') found.readOnly.push(path);
    else if (name === 'commondir') found.ownFolder.push(path);
    // Of a linked working tree alone, where it exists.
    else if (name !== 'gitdir') {
      const above = dirname(path);
      found.absent.push((await readPlaceKind(above)) === 'nothing' ? above : path);
    }
  }
  const within = join(folder, MODULES);
  for (const path of await gitFoldersIn(within)) {
    found.reopened.push({ path, within });
    await addGitFolder(path, found);
  }
}

/** Of submodules, which may lie in folders by the parts of their names. */
async function gitFoldersIn(folder: string, depth = 0): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name }) => name === 'HEAD')) return [folder];
  if (depth > 8) return [];
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  return (await Promise.all(below.map((each) => gitFoldersIn(each, depth + 1)))).flat();
}

/** What holds a place for another command is nothing. */
export async function readPlaceKind(path: string): Promise<'folder' | 'file' | 'link' | 'nothing'> {
  if (isPlaceholder(path)) return 'nothing';
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || (await isLeftOver(path, stats))) return 'nothing';
  return stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'file';
}

function patternTest(
  patterns: readonly PathPattern[],
): (path: string, entry: { isFile(): boolean }) => boolean {
  if (patterns.length === 0) return () => false;
  return (path, entry) =>
    patterns.some(({ root, segments, foldersOnly = false }) => {
      if (!isInside(path, root) || (foldersOnly && entry.isFile())) return false;
      const parts = relative(root, path).split(sep);
      return matchesNames(segments, parts[0] === '' ? [] : parts);
    });
}
