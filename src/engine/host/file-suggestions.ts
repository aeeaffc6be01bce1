/** Paths for a prompt that is being typed: what ripgrep lists, so that ignored files stay out of the way. */
import { childEnvironment } from '../../settings/resolve/child-env.ts';
import { runRipgrep, SEARCHED_FILES, WITHOUT_GIT } from '../../tools/builtin/search/ripgrep.ts';
import type { Session } from '../session/session.ts';
import { rankPaths } from './rank-paths.ts';

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
