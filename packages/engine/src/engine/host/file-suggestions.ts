/** Paths for a prompt that is being typed: what ripgrep lists, so that ignored files stay out of the way. */
import { childEnvironment } from '../../settings/resolve/child-env.ts';
import { runRipgrep, SEARCHED_FILES, WITHOUT_GIT } from '../../tools/builtin/search/ripgrep.ts';
import type { Session } from '../session/session.ts';

/** Files and folders (with a slash at the end) in the working directory, relative to it. */
export type SuggestFiles = (query: string) => Promise<readonly string[]>;

/** A list is made anew when it is older than this; until then, and meanwhile, the old one answers. */
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
  let listed: { readonly atMs: number; readonly paths: Promise<RankedPaths> } | undefined;
  let isListing = false;
  const list = async (): Promise<RankedPaths> => {
    const env = config.childEnv ?? childEnvironment(config.env ?? {});
    return new RankedPaths(await listPaths(config.cwd, { env, signal: scope.signal }));
  };
  const paths = (): Promise<RankedPaths> => {
    const nowMs = world.clock.monotonicMs();
    const isOld = listed !== undefined && nowMs - listed.atMs > LIST_AGE_MS;
    if (listed === undefined || (isOld && !isListing)) {
      const before = listed;
      isListing = true;
      const made = list().finally(() => {
        isListing = false;
      });
      const next = { atMs: nowMs, paths: made };
      // The first list is waited for, as is one after a failure. A newer one replaces the old one once made.
      listed = before === undefined ? next : { ...before, atMs: nowMs };
      made.then(
        () => {
          listed = next;
        },
        () => {
          listed = undefined;
        },
      );
    }
    return listed.paths;
  };
  return async (query) => {
    const ranked = (await paths()).best(query, MAX_LOOKED_AT);
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

interface Found {
  readonly path: string;
  readonly rank: number;
}

/** A list of paths that is asked at each key: what can be prepared is, and only the best are put in order. */
export class RankedPaths {
  readonly #paths: readonly string[];
  /** In lower case, with where the name begins; a folder ends in a slash. */
  readonly #lower: readonly string[];
  readonly #names: Uint32Array;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
    this.#lower = paths.map((path) => path.toLowerCase());
    this.#names = Uint32Array.from(this.#lower, (path) => path.lastIndexOf('/', path.length - 2) + 1);
  }

  /**
   * Those that a person may mean by `query`, best first: those whose name begins with it, then holds it, then
   * whose path holds it, then those that have its letters in this order. Case is not looked at; shorter ones
   * win.
   */
  best(query: string, most: number): readonly string[] {
    const wanted = query.toLowerCase().replaceAll('\\', '/').replace(/^\.\//, '');
    const found: Found[] = [];
    for (const [index, path] of this.#paths.entries()) {
      const rank = rankPath(this.#lower[index] ?? path, this.#names[index] ?? 0, wanted);
      if (rank !== undefined) insert(found, { path, rank }, most);
    }
    return found.map(({ path }) => path);
  }
}

/** Keeps the best `most`, in order. */
function insert(found: Found[], one: Found, most: number): void {
  let at = found.length;
  while (at > 0 && isBetter(one, found[at - 1] as Found)) at -= 1;
  if (at >= most) return;
  found.splice(at, 0, one);
  if (found.length > most) found.pop();
}

function isBetter(one: Found, other: Found): boolean {
  if (one.rank !== other.rank) return one.rank < other.rank;
  if (one.path.length !== other.path.length) return one.path.length < other.path.length;
  return one.path < other.path;
}

function rankPath(path: string, nameAt: number, wanted: string): number | undefined {
  if (wanted === '') return nameAt === 0 ? 0 : undefined;
  const at = path.lastIndexOf(wanted);
  if (at < 0) {
    if (!holdsInOrder(path, wanted, 0)) return undefined;
    return holdsInOrder(path, wanted, nameAt) ? 4 : 5;
  }
  if (at === nameAt && at + wanted.length === path.length) return 0;
  if (path.startsWith(wanted, nameAt) || path.startsWith(wanted)) return path === wanted ? 0 : 1;
  return at >= nameAt ? 2 : 3;
}

function holdsInOrder(text: string, letters: string, from: number): boolean {
  let at = from;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
