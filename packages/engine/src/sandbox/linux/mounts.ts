/** What is laid over what in the file tree that an isolated program sees. */
import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { findGitFolder } from '@turnwright/base/files/git-folder.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { isLiteralName, literalName } from '@turnwright/base/search/name-pattern.ts';
import { MovedPlaces } from '../places/moved-places.ts';
import type { Placeholder } from '../places/placeholders.ts';
import { type FoundPlaces, isFilesPlace, placesBelow, readPlaceKind } from '../places/protected-places.ts';
import { addSeen, nothingSeen, type SeenNames } from '../places/seen-names.ts';
import type { PathPattern, SandboxPolicy } from '../policy.ts';

export interface Mount {
  readonly path: string;
  /** `blocked`: held by something that is there for the time of the command, and seen as empty. */
  readonly kind: 'writable' | 'readOnly' | 'hidden' | 'blocked';
  readonly isFolder: boolean;
}

export interface MountPlan {
  /** Those above before those below. */
  readonly mounts: readonly Mount[];
  /** Names that must not be created, and the placeholder for each. */
  readonly placeholders: readonly Placeholder[];
  readonly links: readonly string[];
  /** Where it may be written. */
  readonly roots: readonly string[];
  readonly seen: SeenNames;
}

/** What each sandbox has of its own. */
const OWN_MOUNTS: readonly string[] = ['/dev', '/proc', '/run', '/tmp', '/var/tmp', '/dev/shm'];

const STRENGTH = { writable: 0, readOnly: 1, blocked: 2, hidden: 3 } as const;

/** Looks at the disk as it is now: for one command. */
export async function planMounts(policy: SandboxPolicy, moved = new MovedPlaces()): Promise<MountPlan> {
  const roots = await writableRoots(policy);
  const open = roots.map(({ path }) => path);
  const mounts = new Map<string, Mount>();
  const lay = async (path: string, kind: Mount['kind']) => {
    const known = mounts.get(path);
    if (known !== undefined && STRENGTH[known.kind] >= STRENGTH[kind]) return;
    const there = await readPlaceKind(path);
    // What only holds a place for another command is no file to hide.
    if (kind === 'hidden' && there === 'nothing') return;
    const isFolder = kind === 'blocked' ? !isFilesPlace(path) : there === 'folder';
    mounts.set(path, { path, kind, isFolder });
  };
  const absent: string[] = [];
  const ownFolder: string[] = [];
  const links: string[] = [];
  const seen = nothingSeen();
  const kept = new Map<string, 'hidden' | 'readOnly'>();
  const reopened: FoundPlaces['reopened'][number][] = [];
  for (const { path: root, isGit } of roots) {
    await lay(root, 'writable');
    const git = join(root, '.git');
    // A mount of its own cannot be renamed, so nothing else can take its place.
    if ((await readPlaceKind(git)) === 'folder') await lay(git, 'writable');
    const found = await placesBelow({ root, isGit, ...policy, home: await real(policy.home) });
    await layFound(found, open, lay, absent);
    reopened.push(...found.reopened);
    absent.push(...found.absent);
    ownFolder.push(...found.ownFolder);
    links.push(...found.links);
    addSeen(found, seen);
    for (const path of found.denied) kept.set(path, 'readOnly');
  }
  for (const path of await placesNamed(policy.deniedWrites)) kept.set((await real(path)) ?? path, 'readOnly');
  for (const path of [...policy.protectedPaths, ...(await placesNamed(policy.deniedWrites))])
    await layNamed(path, 'readOnly', open, lay, absent);
  for (const path of [...policy.hiddenPaths, ...(await placesNamed(policy.deniedReads))])
    await layNamed(path, 'hidden', open, lay, absent);
  for (const path of await Promise.all(policy.credentialPaths.map(real)))
    if (path !== undefined) await lay(path, 'hidden');
  for (const path of await globbed(policy.deniedReads, open)) await lay(path, 'hidden');
  for (const { path, kind } of mounts.values()) if (kind === 'hidden') kept.set(path, kind);
  for (const { path, kind } of await moved.keep(kept, open)) await lay(path, kind);
  for (const path of absent) await lay(path, 'blocked');
  for (const path of ownFolder) await lay(path, 'readOnly');
  await layReadable(policy.readable, mounts, lay);
  for (const { path, within } of reopened) if (isOpenAt(dirname(within), mounts)) await lay(path, 'writable');
  for (const path of foldersAbove([...mounts.keys(), ...links], mounts, open))
    mounts.set(path, { path, kind: 'writable', isFolder: true });
  const placeholders = [
    ...[...new Set(absent)].map((path) => ({ path, kind: isFilesPlace(path) ? 'file' : 'folder' }) as const),
    ...[...new Set(ownFolder)].map((path) => ({ path, kind: 'ownFolder' }) as const),
  ];
  return { mounts: inOrder(mounts), placeholders, links, roots: open, seen };
}

/** The same names as they are after a command. */
export async function namesNow(policy: SandboxPolicy): Promise<SeenNames> {
  const seen = nothingSeen();
  for (const { path: root, isGit } of await writableRoots(policy))
    addSeen(await placesBelow({ root, isGit, ...policy, home: await real(policy.home) }), seen);
  return seen;
}

type Lay = (path: string, kind: Mount['kind']) => Promise<void>;

async function layFound(
  found: FoundPlaces,
  roots: readonly string[],
  lay: Lay,
  absent: string[],
): Promise<void> {
  for (const path of found.readOnly) await lay(path, 'readOnly');
  for (const path of found.hidden) await lay(path, 'hidden');
  for (const link of found.links) {
    const target = await findTarget(link);
    if (target === undefined) continue;
    await layNamed(target, 'readOnly', roots, lay, absent);
  }
}

/**
 * The folders between the roots and these places, as far as they may be written. A folder that is renamed
 * takes what is laid over the places in it along, and leaves them to another: so each becomes a mount of its
 * own, which is not renamed.
 */
function foldersAbove(
  places: readonly string[],
  mounts: ReadonlyMap<string, Mount>,
  roots: readonly string[],
): ReadonlySet<string> {
  const above = new Set<string>();
  for (const place of places)
    for (let path = dirname(place); isWritable(path, roots) && !above.has(path); path = dirname(path))
      if (!mounts.has(path) && !OWN_MOUNTS.includes(path) && isOpenAt(path, mounts)) above.add(path);
  return above;
}

/** Whether it may be written there: the nearest mount decides. */
function isOpenAt(path: string, mounts: ReadonlyMap<string, Mount>): boolean {
  for (let at = path; ; at = dirname(at)) {
    const mount = mounts.get(at);
    if (mount !== undefined) return mount.kind === 'writable';
    if (dirname(at) === at) return false;
  }
}

/** Where a link leads, also when nothing is there. */
async function findTarget(link: string): Promise<string | undefined> {
  const found = await real(link);
  if (found !== undefined) return found;
  const [above, named] = await Promise.all([real(dirname(link)), readlink(link).catch(() => undefined)]);
  return above === undefined || named === undefined ? undefined : resolve(above, named);
}

async function layNamed(
  path: string,
  kind: 'readOnly' | 'hidden',
  roots: readonly string[],
  lay: Lay,
  absent: string[],
): Promise<void> {
  const resolved = await real(path);
  if (resolved !== undefined && (await readPlaceKind(resolved)) !== 'nothing') {
    if (kind === 'hidden' || isWritable(resolved, roots)) await lay(resolved, kind);
    return;
  }
  // What is not there must not come into being: the first folder that is missing on the way is kept free.
  let missing = path;
  while ((await readPlaceKind(dirname(missing))) === 'nothing' && dirname(missing) !== missing)
    missing = dirname(missing);
  const above = await real(dirname(missing));
  const place = above === undefined ? undefined : join(above, missing.slice(dirname(missing).length + 1));
  if (place !== undefined && isWritable(place, roots) && (await readPlaceKind(place)) === 'nothing')
    absent.push(place);
}

/** Files are shown again inside what is hidden; where the place is one that may be written, as such. */
async function layReadable(
  readable: readonly string[],
  mounts: ReadonlyMap<string, Mount>,
  lay: Lay,
): Promise<void> {
  for (const path of readable) {
    const resolved = await real(path);
    if (resolved === undefined) continue;
    const hidden = [...mounts.values()].filter(({ kind }) => kind === 'hidden');
    if (hidden.some(({ path: above }) => resolved !== above && isInside(resolved, above)))
      await lay(resolved, 'readOnly');
  }
}

export interface WritableRoot {
  /** Real. */
  readonly path: string;
  /** The folder of a repository: the one that is named, or that the working folder lies in. */
  readonly isGit: boolean;
}

/** Those above first; what is not there cannot be opened. */
export async function writableRoots(policy: SandboxPolicy): Promise<readonly WritableRoot[]> {
  const found = await Promise.all(policy.writable.map((path) => real(path)));
  const denied = await Promise.all((await placesNamed(policy.deniedWrites)).map((path) => real(path)));
  const isOpen = (path: string) => !denied.some((locked) => locked !== undefined && isInside(path, locked));
  const named = [...new Set(found)].filter((path): path is string => path !== undefined && isOpen(path));
  const around = (await gitFoldersAround(named)).filter(isOpen);
  const roots = [
    ...named.map((path) => ({ path, isGit: basename(path) === '.git' })),
    ...around.map((path) => ({ path, isGit: true })),
  ];
  return roots.sort((a, b) => a.path.length - b.path.length);
}

/**
 * Repositories that the working folders lie in: without their folder git could be read there, and nothing
 * committed. Returns the folder that git keeps the commits of each in, where it lies outside of all of them.
 * Only one that is the user's own, and that names a linked working tree in turn: a file that points at
 * another's repository opens nothing.
 */
async function gitFoldersAround(roots: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const root of roots) {
    const git = await findGitFolder(root, nodeFiles);
    if (git === undefined) continue;
    const path = await nodeFiles.realpath(git.common).catch(() => undefined);
    if (path === undefined || roots.some((open) => isInside(path, open))) continue;
    const { uid } = await lstat(path);
    if (uid === process.getuid?.()) found.add(path);
  }
  return [...found];
}

const isWritable = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => isInside(path, root));

/** The places that patterns name without wildcards; a file where only a folder is meant is none. */
async function placesNamed(patterns: readonly PathPattern[]): Promise<readonly string[]> {
  const paths = patterns.map(async ({ root, segments, foldersOnly = false }) => {
    const rest = segments.at(-1) === '**' ? segments.slice(0, -1) : segments;
    const path = rest.every(isLiteralName) ? join(root, ...rest.map(literalName)) : undefined;
    return path !== undefined && foldersOnly && (await readPlaceKind(path)) === 'file' ? undefined : path;
  });
  return (await Promise.all(paths)).flatMap((path) => path ?? []);
}

/**
 * Outside of what may be written, where nothing else looks: below the part of the pattern without wildcards.
 */
async function globbed(
  patterns: readonly PathPattern[],
  roots: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pattern of patterns) {
    const wild = pattern.segments.findIndex((segment) => !isLiteralName(segment));
    if (wild < 0 || (wild === pattern.segments.length - 1 && pattern.segments[wild] === '**')) continue;
    const start = await real(join(pattern.root, ...pattern.segments.slice(0, wild).map(literalName)));
    // A pattern for the whole disk cannot be looked for before each command; it holds in the working folders.
    if (start === undefined || start === '/' || isWritable(start, roots)) continue;
    const below: PathPattern = { root: start, segments: pattern.segments.slice(wild) };
    const places = await placesBelow({
      root: start,
      isGit: false,
      home: undefined,
      deniedReads: [below],
      deniedWrites: [],
    });
    found.push(...places.hidden);
  }
  return found;
}

/** Without what lies in something hidden and is not shown again. */
function inOrder(mounts: ReadonlyMap<string, Mount>): readonly Mount[] {
  const hidden = [...mounts.values()].filter(({ kind }) => kind === 'hidden');
  const isLost = ({ path, kind }: Mount) =>
    (kind === 'hidden' || kind === 'blocked') &&
    hidden.some((above) => above.path !== path && isInside(path, above.path)) &&
    ![...mounts.values()].some(
      (shown) =>
        (shown.kind === 'writable' || shown.kind === 'readOnly') &&
        shown.path !== path &&
        isInside(path, shown.path),
    );
  return [...mounts.values()].filter((mount) => !isLost(mount)).sort((a, b) => depth(a.path) - depth(b.path));
}

const depth = (path: string): number => (path === '/' ? 0 : path.split('/').length);

/** Free of links; undefined when there is nothing. */
export async function real(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : await realpath(path).catch(() => undefined);
}
