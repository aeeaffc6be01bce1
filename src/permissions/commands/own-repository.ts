/**
 * Whether git may be started where it is: its repository's configuration, hooks and submodules may name
 * programs.
 */
import { dirname, join } from 'node:path';
import { findGitFolder, sharesAnother, textOf } from '../../util/files/git-folder.ts';
import type { DiskReader } from '../decide/real-path.ts';

/** `none`: there is no repository. `unclear`: git may take something for one that is not what it seems. */
type Repository =
  | { readonly root: string; readonly own: string; readonly common: string }
  | 'none'
  | 'unclear';
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
      const kind = (await kindOf(join(root, '.git'), files)) ?? 'nothing';
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
const kindOf = async (path: string, files: DiskReader) => (await files.lstat(path))?.kind;

/** More submodules than these are not looked at. */
const MAX_SUBMODULES = 50;
const MAX_CONFIG_BYTES = 256 * 1024;

/** Whether looking at it starts nothing: no program is named by its configuration, a hook or a submodule. */
export async function runsNothing(repository: KnownRepository, files: DiskReader): Promise<boolean> {
  if (repository === 'none') return true;
  return isHarmless(repository, files).catch(() => false);
}

async function isHarmless(repository: Exclude<KnownRepository, string>, files: DiskReader): Promise<boolean> {
  const { readRange, readDir } = files;
  if (readRange === undefined || readDir === undefined) return false;
  const configs = [join(repository.common, 'config'), join(repository.own, 'config.worktree')];
  const modules = await foldersIn(join(repository.common, 'modules'), files);
  if (modules === undefined || modules.length > MAX_SUBMODULES) return false;
  configs.push(...modules.map((folder) => join(folder, 'config')));
  for (const config of configs) {
    if ((await kindOf(config, files)) === undefined) continue;
    const text = await textOf(config, MAX_CONFIG_BYTES, reader(files, readRange));
    if (text === undefined || !isHarmlessGitConfig(text)) return false;
  }
  for (const folder of [repository.common, ...modules])
    if ((await kindOf(join(folder, 'hooks', 'post-index-change'), files)) !== undefined) return false;
  return true;
}

/** The repositories of submodules, nested ones too. */
async function foldersIn(folder: string, files: DiskReader): Promise<readonly string[] | undefined> {
  if ((await kindOf(folder, files)) === undefined) return [];
  const found: string[] = [];
  const open = [folder];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const name of (await files.readDir?.(path)) ?? []) {
      const child = join(path, name);
      if ((await kindOf(child, files)) !== 'directory') continue;
      if ((await kindOf(join(child, 'HEAD'), files)) === undefined) open.push(child);
      else {
        found.push(child);
        if ((await kindOf(join(child, 'modules'), files)) !== undefined) open.push(join(child, 'modules'));
      }
      if (found.length + open.length > MAX_SUBMODULES * 4) return undefined;
    }
  }
  return found;
}

/** Settings of a repository by which git runs nothing when it shows a status, a history or a difference. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|quotepath|abbrev|compression|untrackedcache|trustctime|checkstat|hidedotfiles|longpaths|preloadindex|protecthfs|protectntfs|sharedrepository|whitespace|commentchar|commentstring|splitindex|bigfilethreshold|sparsecheckout|sparsecheckoutcone|worktree|excludesfile|multipackindex|commitgraph|editor-?hint)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey|useconfigonly)$/,
  /^remote\.(?:.+\.)?(?:url|fetch|push|pushurl|mirror|tagopt|skipdefaultupdate|skipfetchall|prune|prunetags|gh-resolved|pushdefault)$/,
  /^branch\.(?:.+\.)?(?:remote|merge|rebase|pushremote|description|autosetupmerge|autosetuprebase|sort|vscode-merge-base|gh-merge-base|github-pr-[\w-]+)$/,
  /^submodule\.(?:.+\.)?(?:url|active|branch|fetchrecursesubmodules|ignore|recurse)$/,
  /^(?:color|advice|gc|pack|index|feature|column|status|fetch|push|pull|rerere|maintenance|blame|rebase|merge|init|log|format|tag|commit|apply|am|stash|grep|help|lfs|safe)\.(?!.*(?:cmd|command|program|tool|driver|hook|editor|exec|template))[\w.:/@-]+$/,
  /^diff\.(?:algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|noprefix|context|interhunkcontext|indentheuristic|wserrorhighlight|submodule|ignoresubmodules|statgraphwidth|wordregex)$/,
  /^extensions\.(?:objectformat|refstorage|worktreeconfig|noop|relativeworktrees)$/,
  /^lfs\.(?:.+\.)?(?:repositoryformatversion|access|locksverify|url)$/,
];

/**
 * The text of a configuration file. What is not understood is not harmless; nor is what includes another
 * file.
 */
export function isHarmlessGitConfig(text: string): boolean {
  let section: string | undefined;
  for (const line of text.split('\n')) {
    let rest = line.trim();
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\]/.exec(rest);
    if (header !== null) {
      const [whole, name = '', sub] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      rest = rest.slice(whole.length).trim();
    }
    if (rest === '' || rest.startsWith('#') || rest.startsWith(';')) continue;
    const key = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[^\0]*)?$/.exec(rest)?.[1];
    // A line that goes on in the next one may hide another.
    if (section === undefined || key === undefined || rest.endsWith('\\')) return false;
    const named = `${section}.${key.toLowerCase()}`;
    if (/^core\.fsmonitor$/.test(named) && /=\s*(?:true|false)$/i.test(rest)) continue;
    if (!HARMLESS.some((each) => each.test(named))) return false;
  }
  return true;
}
