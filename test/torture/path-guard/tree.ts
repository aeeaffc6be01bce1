/** A random tree of files: a project, and beside it what no call may read or change. */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneCellNotebook } from '../../notebook.ts';
import { pictureOf } from '../picture.ts';

/** In files that no call may read. */
export const CANARY = 'CANARY-5c17';

/** Made inside the project: denied to readers, denied to writers. */
export const DENY = ['Read(secrets/**)', 'Edit(secrets/**)', 'Edit(locked/**)'];

const NAMES = [
  'a',
  'B',
  'Docs',
  'docs',
  'é',
  'e\u0301',
  'ｘ',
  'a b',
  '.hid',
  '..a',
  'ß',
  '-n',
  'c.txt',
  'D.TXT',
];

export interface Tree {
  readonly project: string;
  readonly outside: string;
  /** Everything below the project that calls may name, links included. */
  readonly places: readonly string[];
  readonly links: number;
  readonly mounts: number;
  /** What may not change, as one text. */
  picture(): string;
  release(): void;
}

/** `mounts`: this process may mount, in a name space of its own. */
export function randomTree(base: string, random: () => number, canMount: boolean): Tree {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const [project, outside, neighbour] = [join(base, 'proj'), join(base, 'outside'), join(base, 'proj-evil')];
  const [secrets, locked] = [join(project, 'secrets'), join(project, 'locked')];
  for (const folder of [project, secrets, locked, join(outside, 'deep'), neighbour, join(base, 'mounted')])
    mkdirSync(folder, { recursive: true });
  for (const folder of [outside, join(outside, 'deep'), neighbour, secrets]) {
    writeFileSync(join(folder, 'c.txt'), `${CANARY} words\n`);
    writeFileSync(join(folder, 'n.ipynb'), oneCellNotebook(CANARY));
    writeFileSync(join(folder, `name-${CANARY}.md`), '');
  }
  for (const name of ['c.txt', 'linked.txt']) writeFileSync(join(locked, name), 'locked words\n');
  writeFileSync(join(locked, 'n.ipynb'), oneCellNotebook('locked words'));
  // A hard link in the project to a file outside is that file, for whoever reads: it must only not change.
  writeFileSync(join(outside, 'linked.txt'), 'linked words\n');

  const folders = [project];
  const places = [secrets, locked, join(secrets, 'c.txt'), join(locked, 'c.txt'), join(locked, 'n.ipynb')];
  const files: string[] = [];
  let links = 0;
  const attempt = (make: () => void) => {
    try {
      make();
      return true;
    } catch {
      return false;
    }
  };
  const linkTarget = (from: string): string => {
    const inside = pick([...folders, ...places]);
    const rise = `${'../'.repeat(from.slice(project.length).split('/').length)}`;
    return pick([
      inside,
      inside,
      inside.slice(project.length + 1) || '.',
      outside,
      join(outside, 'c.txt'),
      join(outside, 'not-there.txt'),
      `${rise}outside`,
      `${rise}outside/deep`,
      `${rise}proj-evil/c.txt`,
      neighbour,
      secrets,
      join(secrets, 'c.txt'),
      locked,
      '..',
      '.',
      '/',
      '/proc/self/root',
      from,
    ]);
  };
  for (let n = 0; n < 45; n++) {
    const path = join(pick(folders), pick(NAMES) + (random() < 0.3 ? String(n) : ''));
    const kind = random();
    if (kind < 0.25) {
      if (attempt(() => mkdirSync(path))) folders.push(path);
    } else if (kind < 0.5) {
      const isBook = random() < 0.2;
      const file = isBook ? `${path}.ipynb` : path;
      if (attempt(() => writeFileSync(file, isBook ? oneCellNotebook('words') : 'words\n', { flag: 'wx' })))
        files.push(file);
      places.push(file);
    } else if (kind < 0.85) {
      if (attempt(() => symlinkSync(linkTarget(path), path))) links++;
      places.push(path);
    } else {
      const to = pick([
        join(secrets, 'c.txt'),
        join(outside, 'linked.txt'),
        join(locked, 'linked.txt'),
        ...files,
      ]);
      if (attempt(() => linkSync(to, path))) links++;
      places.push(path);
    }
  }
  places.push(...folders);
  const mounted: string[] = [];
  if (canMount) {
    // A mount is judged by its own name, so none of them shows what is denied under another one.
    const source = join(project, 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'c.txt'), 'words\n');
    places.push(source);
    const target = join(pick(folders), 'mnt');
    for (const [from, to] of [
      // A folder of the project under a name outside: what is called so is outside.
      [source, join(base, 'mounted')],
      [source, target],
      [join(outside, 'deep'), join(outside, 'mnt')],
    ] as const) {
      mkdirSync(to, { recursive: true });
      execFileSync('mount', ['--bind', from, to]);
      mounted.push(to);
    }
    places.push(target);
    symlinkSync(join(base, 'mounted'), join(project, 'to-mounted'));
    places.push(join(project, 'to-mounted'));
  }
  return {
    project,
    outside,
    places,
    links,
    mounts: mounted.length,
    picture: () =>
      [outside, neighbour, locked, secrets].map((folder) => pictureOf(folder)).join('\n') +
      readdirSync(base).sort(),
    release() {
      for (const to of mounted.reverse()) execFileSync('umount', ['-l', to]);
    },
  };
}
