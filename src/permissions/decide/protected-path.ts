/**
 * Files that decide what runs later, or what may run, or what the model is told: a write to one is always asked about,
 * whatever the rules say, except in bypass mode. Compared without regard to case, Unicode form, invisible characters,
 * and trailing dots and spaces, because file systems differ in what they fold.
 */
import { foldedName } from '../rules/folded-name.ts';
import type { ResolvedPath } from './real-path.ts';

/** What is protected besides what its name protects. */
export interface Protection {
  /** Absolute: the configuration home and the folders of plugins. `except`: what lies in there is not. */
  readonly folders: readonly { readonly path: string; readonly except?: string | undefined }[];
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
    protection: { folders, own, memoryImportsAnywhere, linked },
  }: { readonly resolve: (path: string) => Promise<ResolvedPath>; readonly protection: Protection },
): Promise<boolean> {
  const spellings = [path.spelled, path.real ?? path.spelled];
  if (spellings.some(isProtectedPath)) return true;
  if (memoryImportsAnywhere && spellings.some((each) => MEMORY.test(fold(each)))) return true;
  const lies = async (folder: string) => {
    const { spelled, real = spelled } = await resolve(folder);
    return spellings.some((each) => [spelled, real].some((name) => liesIn(fold(each), fold(name))));
  };
  const inFolders = await Promise.all(
    folders.map(
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
/** Skills, agents, commands, styles, rules, plugins: in whatever folder they are found. */
const GRANTS = /(?:^|\/)\.(?:claude|turnwright)(?:-plugin)?(?:\/|$)/;
/** Working trees that are kept there are projects like any other. */
const WORKTREE =
  /^(?:(?:(?!\.(?:claude|turnwright)(?:-plugin)?\/)[^/]*\/)*\.(?:claude|turnwright)\/worktrees\/[^/]+\/)+/;

function liesInGrants(path: string): boolean {
  return GRANTS.test(fold(path).replace(WORKTREE, ''));
}

const PROTECTED_FOLDERS: readonly (readonly string[])[] = [
  ['.husky'],
  ['.claude', 'hooks'],
  ['.turnwright', 'hooks'],
  ['.ssh'],
  // Compiled code of the command line, which runs in its next process (`cli/compile-cache.ts`).
  ['.cache', 'turnwright'],
  ['library', 'caches', 'turnwright'],
  ['appdata', 'local', 'turnwright'],
];

const PROTECTED_FILES: readonly RegExp[] = [
  /^(?:.*\/)?\.git\/(?:.*\/)?(?:config(?:\.worktree)?|commondir|gitdir|attributes)$/,
  /^(?:.*\/)?\.git\/(?:.*\/)?hooks(?:\/.*)?$/,
  /^(?:.*\/)?\.git$/,
  /^(?:.*\/)?\.(?:gitconfig|gitmodules)$/,
  /^(?:.*\/)?\.(?:claude|turnwright)\/settings[^/]*$/,
  /^(?:.*\/)?\.claude\.json$/,
  /^(?:.*\/)?\.mcp\.json$/,
  /^(?:.*\/)?\.vscode\/(?:tasks|settings|launch)\.json$/,
  /^(?:.*\/)?\.idea\/workspace\.xml$/,
  /^(?:.*\/)?\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc)$/,
  /^(?:.*\/)?\.config\/(?:fish|git)\/.*$/,
  /^(?:.*\/)?\.(?:envrc|npmrc|yarnrc|yarnrc\.yml|pypirc|netrc|ripgreprc)$/,
];

/** By its name alone. */
export function isProtectedPath(path: string): boolean {
  const folded = fold(path);
  return (
    PROTECTED_FILES.some((file) => file.test(folded)) ||
    PROTECTED_FOLDERS.some((folder) => lies(folded, folder))
  );
}

function fold(path: string): string {
  return path
    .normalize('NFKC')
    .split(/[\\/]/)
    .map(foldedName)
    .filter((segment) => segment !== '')
    .join('/');
}

function lies(path: string, folder: readonly string[]): boolean {
  return `/${path}/`.includes(`/${folder.join('/')}/`);
}

/** Spellings that reach a file under another name on some systems: device paths, UNC, alternate streams, 8.3 names. */
export function isOddSpelling(path: string): boolean {
  return /\0|^\\\\|^\/\/[?.]\/|::\$|~\d/i.test(path.normalize('NFKC'));
}
