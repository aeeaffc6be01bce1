/** S4: what a call of a file tool reads and changes lies inside, whatever links, spellings and other programs do. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from '../bundled.ts';
import { memoryFolder } from '../memory-folder.ts';
import type { OperationsDone } from '../path-guard/operations.ts';
import { linesOf } from '../program.ts';
import { row } from '../row.ts';

/** Mounts of its own, which end with it. */
const OWN_MOUNTS = ['unshare', '--mount', '--propagation', 'private'];
const SWAPPER = join(import.meta.dirname, '../../tools/builtin/swapper.mjs');
const PROCESSES = 2;

row('S4', async ({ figures, size, seed }) => {
  const folder = memoryFolder();
  const canMount = spawnSync(OWN_MOUNTS[0] as string, [...OWN_MOUNTS.slice(1), 'true']).status === 0;
  const { file, remove } = await bundled('path-guard/operations.ts');
  const run = async (kind: string, each: number, count: number): Promise<OperationsDone> => {
    const own = join(folder, `${kind}-${each}`);
    mkdirSync(own);
    const order = { kind, seed: seed + each, count, folder: own, canMount, swapper: SWAPPER };
    const within = kind === 'operations' && canMount ? OWN_MOUNTS : [];
    for await (const done of linesOf<OperationsDone>(file, order, [], within)) return done;
    throw new Error(`${kind} ${each} has said nothing.`);
  };
  try {
    const operations = size(1_500, 100_000);
    const races = size(1_500, 100_000);
    const onTrees = await Promise.all(
      Array.from({ length: PROCESSES }, (_, each) => run('operations', each, operations / PROCESSES)),
    );
    const raced = await run('races', PROCESSES, races);
    const sum = (
      of: readonly OperationsDone[],
      key: 'operations' | 'done' | 'refused' | 'links' | 'mounts',
    ) => of.reduce((all, each) => all + each[key], 0);
    figures.atLeast('operations on random trees', sum(onTrees, 'operations'), operations);
    figures.atLeast('of which were done', sum(onTrees, 'done'), operations / 10);
    figures.atLeast('of which were refused', sum(onTrees, 'refused'), operations / 10);
    figures.atLeast('links in the trees', sum(onTrees, 'links'), size(50, 3_000));
    if (canMount) figures.atLeast('bind mounts in the trees', sum(onTrees, 'mounts'), size(1, 100));
    figures.none(
      'reads and writes outside',
      onTrees.flatMap(({ escapes }) => escapes),
    );
    figures.atLeast('operations while the folder is swapped for a link', raced.operations, races);
    figures.atLeast('of which met the folder', raced.done, races / 10);
    figures.atLeast('of which were refused', raced.refused, races / 10);
    figures.none('reads and writes outside, by a race', raced.escapes);
  } finally {
    remove();
  }
});
