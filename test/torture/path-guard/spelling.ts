/** A path in other words: what the operating system takes for the same file, or for another one than it looks like. */
import { basename, dirname, join } from 'node:path';
import type { Tree } from './tree.ts';

type Pick = <T>(of: readonly T[]) => T;

export function spelled({ project, outside, places }: Tree, pick: Pick, random: () => number): string {
  const place = pick(places);
  const below = pick([
    '',
    '',
    '',
    '/c.txt',
    '/n.ipynb',
    '/new.txt',
    '/deep/c.txt',
    '/new/x.txt',
    '/..',
    '/../c.txt',
  ]);
  let path = pick([
    `${place}${below}`,
    `${place}${below}`,
    `${place}${below}`,
    `${place}/../${basename(place)}${below}`,
    // Behind a link, `..` is not where the link is.
    `${pick(places)}/../${basename(place)}`,
    `${pick(places)}/../outside/c.txt`,
    `${pick(places)}/../../outside/linked.txt`,
    join(outside, pick(['c.txt', 'deep/c.txt', 'linked.txt', 'new.txt', 'n.ipynb'])),
    `${project}-evil/c.txt`,
    `${dirname(project)}/mounted/new.txt`,
    `/proc/self/root${place}${below}`,
    `/proc/self/cwd/${'../'.repeat(20)}${outside}/c.txt`,
    `/proc/thread-self/root${outside}/c.txt`,
  ]);
  for (; random() < 0.3; ) path = reworded(path, pick, random);
  if (random() < 0.3 && path.startsWith(`${project}/`)) path = path.slice(project.length + 1);
  return path;
}

function reworded(path: string, pick: Pick, random: () => number): string {
  const parts = path.split('/');
  const at = 1 + Math.floor(random() * (parts.length - 1));
  const part = parts[at] ?? '';
  const other = pick([
    part.toUpperCase(),
    part.toLowerCase(),
    part.normalize('NFC'),
    part.normalize('NFD'),
    part.normalize('NFKC'),
    `./${part}`,
    `/${part}`,
    `${part}/.`,
    `${part}/`,
    `${part}/../${part}`,
    `${part} `,
    `${part}\u200b`,
    encodeURIComponent(part),
  ]);
  return [...parts.slice(0, at), other, ...parts.slice(at + 1)].join('/');
}
