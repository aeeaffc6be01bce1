/**
 * Files that decide what runs later, what may run, or which instructions the model gets: a write to one is
 * always asked about, regardless of rules, except in bypass mode. Names are compared without regard to case,
 * Unicode form, invisible characters, and trailing dots and spaces, because file systems differ in what they
 * fold.
 */
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import {
  FREE_IN_GIT,
  GRANTING_FOLDERS,
  PROTECTED_ANYWHERE,
  PROTECTED_NAMES,
} from '@turnwright/base/files/protected-names.ts';
import type { FileStat } from '@turnwright/base/persistent-files.ts';
import { foldedPart } from '../rules/covered.ts';
import type { ResolvedPath } from './resolved-path.ts';

/** What is protected besides what its name protects. */
export interface Protection {
  /** Absolute: the user's home folder. */
  readonly home: string | undefined;
  /** Absolute: the configuration home and the folders of plugins. `except`: what lies in there is not. */
  readonly folders: () => readonly { readonly path: string; readonly except?: string | undefined }[];
  /** Absolute: folders that the asker keeps notes in. */
  readonly own: readonly string[];
  /** Memory files of a project may import from anywhere, so that writing one may bring any file along. */
  readonly memoryImportsAnywhere: boolean;
  /** Real paths of what grants in the working directories and lies elsewhere, behind a link. */
  readonly linked: () => Promise<readonly string[]>;
}

/** Whether a write to this path needs a person. */
export async function isProtected(
  path: ResolvedPath,
  {
    resolve,
    protection: { home, folders, own, memoryImportsAnywhere, linked },
  }: { readonly resolve: (path: string) => Promise<ResolvedPath>; readonly protection: Protection },
): Promise<boolean> {
  const spellings = [path.spelled, path.real ?? path.spelled];
  if (spellings.some(isProtectedPath)) return true;
  const asked = await askedNames();
  if (spellings.some((each) => asked.anywhere.test(fold(each)))) return true;
  if (memoryImportsAnywhere && spellings.some((each) => MEMORY.test(fold(each)))) return true;
  const lies = async (folder: string) => {
    const { spelled, real = spelled } = await resolve(folder);
    return spellings.some((each) => [spelled, real].some((name) => liesIn(fold(each), fold(name))));
  };
  if (home !== undefined && spellings.some((each) => asked.atHome.test(fold(each)))) {
    const { spelled, real = spelled } = await resolve(home);
    const isInHome = (each: string, name: string) =>
      each.startsWith(`${name}/`) && asked.atHome.exec(each.slice(name.length))?.index === 0;
    if (spellings.some((each) => [spelled, real].some((name) => isInHome(fold(each), fold(name)))))
      return true;
  }
  const inFolders = await Promise.all(
    folders().map(
      async ({ path: folder, except }) =>
        (await lies(folder)) && (except === undefined || !(await lies(except))),
    ),
  );
  const grants = spellings.some(liesInGrants) || inFolders.includes(true);
  const isTarget = async () =>
    (await linked()).some((target) => spellings.some((each) => liesIn(fold(each), fold(target))));
  if (!grants && !(await isTarget())) return false;
  const { real } = path;
  if (real === undefined) return true;
  const notes = await Promise.all(own.map(resolve));
  return !notes.some((folder) => folder.real !== undefined && liesIn(real, folder.real));
}

const liesIn = (path: string, folder: string) =>
  path === folder || (/^[\\/]/.test(path.slice(folder.length)) && path.startsWith(folder));

const MEMORY = /(?:^|\/)(?:claude|claude\.local|agents)\.md$/;
const joinAlternatives = (paths: readonly string[]): string =>
  paths.map((path) => path.toLowerCase().replaceAll('.', '\\.').replaceAll('*', '[^/]*')).join('|');
/** Skills, agents, commands, styles, rules, plugins: in whatever folder they are found. */
const GRANTING = `(?:${joinAlternatives(GRANTING_FOLDERS)})`;
const GRANTS = new RegExp(`(?:^|/)${GRANTING}(?:/|$)`);
/** Working trees that are kept there are projects like any other. */
const WORKTREE = new RegExp(`^(?:(?:(?!${GRANTING}/)[^/]*/)*${GRANTING}/worktrees/[^/]+/)+`);

function liesInGrants(path: string): boolean {
  return GRANTS.test(fold(path).replace(WORKTREE, ''));
}

const BY_NAME = PROTECTED_NAMES.filter(({ where, grants }) => where === 'anywhere' && grants !== true).map(
  ({ path }) => path,
);
const NAMED = new RegExp(`(?:^|/)(?:${joinAlternatives(BY_NAME)})(?:/|$)`);
const GIT = /(?:^|\/)\.git(?:\/|$)/;
/** Of submodules and working trees too, whose folders lie in that of their repository. */
const FREE = new RegExp(
  `(?:^|/)\\.git/(?:(?:modules|worktrees)/(?:(?!\\.git/).)*/)?(?:${joinAlternatives(FREE_IN_GIT)})$`,
);
/** Loaded by the first write. Where they cannot be loaded this rejects, and the gate lets none through. */
const askedNames = lazily(async () => {
  const { ASKED_ANYWHERE, ASKED_AT_HOME } = await import('./asked-names.ts');
  return {
    anywhere: new RegExp(`(?:^|/)(?:${joinAlternatives(ASKED_ANYWHERE)})(?:/|$)`),
    atHome: new RegExp(`/(?:${joinAlternatives(ASKED_AT_HOME)})(?:/|$)`),
  };
});
/**
 * Settings and hooks, which may not be written even into a folder of notes that is inside a protected folder.
 */
const SETTINGS = new RegExp(`(?:^|/)${GRANTING}/(?:settings[^/]*$|hooks(?:/|$))`);

/** Whether its names alone may make it protected, wherever it lies. */
export const holdsProtectedName = (path: string): boolean => isProtectedPath(path) || liesInGrants(path);

/** By its name alone. */
function isProtectedPath(path: string): boolean {
  const folded = fold(path);
  if (GIT.test(folded) && !FREE.test(folded)) return true;
  return NAMED.test(folded) || SETTINGS.test(folded);
}

function fold(path: string): string {
  return path
    .normalize('NFKC')
    .split(/[\\/]/)
    .map(foldedPart)
    .filter((segment) => segment !== '')
    .join('/');
}

/**
 * Spellings that reach a file under another name on some systems: device paths, UNC, alternate streams, 8.3
 * names.
 */
export function isOddSpelling(path: string): boolean {
  return /\0|^\\\\|^\/\/[?.]\/|::\$|~\d/i.test(path.normalize('NFKC'));
}

interface Look {
  resolve(path: string): Promise<ResolvedPath>;
  stat(path: string): Promise<FileStat | undefined>;
  entries(path: string): Promise<readonly string[] | undefined>;
}

/** Projects like any other. */
const WORKTREES = 'worktrees';
/** Commands lie in folders of folders. */
const MAX_DEPTH = 5;
const MAX_ENTRIES = 1_000;

/**
 * Where that lies which grants under a protected name and is a link: writing there writes what grants. Real
 * paths; of links that lead nowhere none. `roots` are absolute.
 */
export async function linkedGrants(roots: readonly string[], look: Look): Promise<readonly string[]> {
  const targets: string[] = [];
  let left = MAX_ENTRIES;
  const walk = async (path: string, depth: number): Promise<void> => {
    left -= 1;
    if (left < 0) return;
    const kind = (await look.stat(path))?.kind;
    if (kind === 'symlink') {
      const { real } = await look.resolve(path);
      if (real !== undefined) targets.push(real);
    } else if (kind === 'directory' && depth < MAX_DEPTH) {
      const names = (await look.entries(path)) ?? [];
      for (const name of names) if (depth > 0 || name !== WORKTREES) await walk(join(path, name), depth + 1);
    }
  };
  for (const root of roots) {
    for (const file of PROTECTED_ANYWHERE) await walk(join(root, file), MAX_DEPTH);
    for (const folder of GRANTING_FOLDERS) await walk(join(root, folder), 0);
  }
  return targets;
}
