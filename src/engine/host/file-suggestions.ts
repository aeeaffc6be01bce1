/** Paths for a prompt that is being typed: what ripgrep lists, so that ignored files stay out of the way. */
import { childEnvironment } from '../../settings/resolve/child-env.ts';
import { runRipgrep, SEARCHED_FILES, WITHOUT_GIT } from '../../tools/builtin/search/ripgrep.ts';
import type { Session } from '../session/session.ts';

/** Files and folders (with a slash at the end) in the working directory, relative to it. */
export type SuggestFiles = (query: string) => Promise<readonly string[]>;

/** How long a list is reused while a user types, before files may have changed. */
const LIST_AGE_MS = 5_000;
const MAX_LISTED = 100_000;
const MAX_SUGGESTED = 15;
/** Of the best matches, some may be files that a rule keeps from being read. */
const MAX_LOOKED_AT = 60;

export function createSuggestFiles({
  config,
  permissions,
  scope,
  world,
}: Pick<Session, 'config' | 'permissions' | 'scope' | 'world'>): SuggestFiles {
  let listed: { readonly atMs: number; readonly paths: Promise<readonly string[]> } | undefined;
  const paths = (): Promise<readonly string[]> => {
    const nowMs = world.clock.monotonicMs();
    if (listed === undefined || nowMs - listed.atMs > LIST_AGE_MS) {
      const env = config.childEnv ?? childEnvironment(config.env ?? {});
      const made = { atMs: nowMs, paths: listPaths(config.cwd, { env, signal: scope.signal }) };
      made.paths.catch(() => {
        if (listed === made) listed = undefined;
      });
      listed = made;
    }
    return listed.paths;
  };
  return async (query) => {
    const ranked = rankPaths(await paths(), query, MAX_LOOKED_AT);
    const isDenied = permissions.readFilter({ cwd: config.cwd });
    const shown: string[] = [];
    for (const path of ranked) {
      if (shown.length === MAX_SUGGESTED) break;
      if ((await isDenied?.(`${config.cwd}/${path}`)) !== true) shown.push(path);
    }
    return shown;
  };
}

async function listPaths(
  cwd: string,
  place: { readonly env: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = new Set<string>();
  const onRecord = (record: string) => {
    const path = record.replaceAll('\\', '/').replace(/^\.\//, '');
    files.push(path);
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
    return files.length < MAX_LISTED;
  };
  const args = ['--files', '--null', ...SEARCHED_FILES, ...WITHOUT_GIT];
  await runRipgrep({ args, place: { cwd, without: [] }, separator: '\0', onRecord }, place, {});
  return [...folders, ...files];
}

/**
 * The paths that a person may mean by `query`, best first: those whose name begins with it, then holds it,
 * then whose path holds it, then those that have its letters in this order. Case is not looked at; shorter
 * ones win.
 */
export function rankPaths(paths: Iterable<string>, query: string, most: number): readonly string[] {
  const wanted = query.toLowerCase().replaceAll('\\', '/').replace(/^\.\//, '');
  const found: { readonly path: string; readonly rank: number }[] = [];
  for (const path of paths) {
    const rank = rankOf(path.toLowerCase(), wanted);
    if (rank !== undefined) found.push({ path, rank });
  }
  return found
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, most)
    .map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number | undefined {
  // A folder ends in a slash.
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  if (wanted === '') return name === path ? 0 : undefined;
  if (path === wanted || name === wanted) return 0;
  if (name.startsWith(wanted) || path.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (path.includes(wanted)) return 3;
  return holdsInOrder(name, wanted) ? 4 : holdsInOrder(path, wanted) ? 5 : undefined;
}

function holdsInOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
