/** Where links under the names that grant rights lead: writing there writes what grants. */

import type { FileStat } from '@turnwright/base/persistent-files.ts';
import { expect, it } from 'vitest';
import { linkedGrants } from '../../src/permissions/decide/protected-path.ts';

type Tree = { readonly [name: string]: Tree | string | undefined };

/** A disk in memory: a folder is an object, a link is `-> target`, a link to nowhere is `->`, all else is a file. */
function lookAt(tree: Tree) {
  const looked: string[] = [];
  const find = (path: string) =>
    path
      .split('/')
      .filter((name) => name !== '')
      .reduce<Tree | string | undefined>((at, name) => (typeof at === 'object' ? at[name] : undefined), tree);
  const look = {
    async stat(path: string) {
      looked.push(path);
      const found = find(path);
      if (found === undefined) return undefined;
      const kind = typeof found === 'object' ? 'directory' : found.startsWith('->') ? 'symlink' : 'file';
      return { kind } as FileStat;
    },
    async entries(path: string) {
      const found = find(path);
      return typeof found === 'object' ? Object.keys(found) : [];
    },
    async resolve(path: string) {
      const real = `${find(path)}`.slice('-> '.length);
      return { spelled: path, real: real === '' ? undefined : real };
    },
  };
  return { look, looked };
}

const within = (depth: number, leaf: Tree): Tree =>
  depth === 0 ? leaf : { [`d${depth}`]: within(depth - 1, leaf) };

it.each<[string, Tree, readonly string[]]>([
  ['a file of a protected name', { '.mcp.json': '-> /a' }, ['/a']],
  ['a folder that grants', { '.claude': '-> /b' }, ['/b']],
  ['what lies in one', { '.claude': { commands: { deep: { 'x.md': '-> /c' } } } }, ['/c']],
  [
    'several, in both',
    { '.mcp.json': '-> /a', '.claude': { 'x.md': '-> /b', y: '-> /c' } },
    ['/a', '/b', '/c'],
  ],
  ['not one that leads nowhere', { '.mcp.json': '->', '.claude': { x: '-> /c' } }, ['/c']],
  ['not one under another name', { 'other.json': '-> /a', src: { x: '-> /b' } }, []],
  ['not what lies in a folder with the name of a file', { '.mcp.json': { x: '-> /a' } }, []],
  ['not working trees, which are projects', { '.claude': { worktrees: { x: '-> /a' } } }, []],
  ['a folder of that name further down', { '.claude': { skills: { worktrees: { x: '-> /a' } } } }, ['/a']],
  ['down to five folders', { '.claude': within(4, { x: '-> /a' }) }, ['/a']],
  ['no further', { '.claude': within(5, { x: '-> /a' }) }, []],
])('names %s', async (_, tree, targets) => {
  const { look } = lookAt({ proj: tree });
  expect(new Set(await linkedGrants(['/proj'], look))).toEqual(new Set(targets));
});

it('looks below every root', async () => {
  const { look } = lookAt({ one: { '.claude': '-> /a' }, two: { '.claude': '-> /b' } });
  expect(new Set(await linkedGrants(['/one', '/two', '/three'], look))).toEqual(new Set(['/a', '/b']));
});

it('passes over a folder that cannot be listed', async () => {
  const { look } = lookAt({ one: { '.claude': { x: '-> /a' } }, two: { '.claude': '-> /b' } });
  const entries = async (path: string) => (path.startsWith('/one') ? undefined : look.entries(path));
  expect(new Set(await linkedGrants(['/one', '/two'], { ...look, entries }))).toEqual(new Set(['/b']));
});

it('looks at a thousand places and no more', async () => {
  const files = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`f${n}`, 'text']));
  const { look, looked } = lookAt({ proj: { '.claude': files } });
  expect(await linkedGrants(['/proj'], look)).toEqual([]);
  expect(looked).toHaveLength(1_000);
});
