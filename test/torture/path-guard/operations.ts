/**
 * Operations on random trees, or on a folder that another process swaps for a link all the time. Prints a line of JSON:
 * `node operations.mjs '{ "kind", "seed", "count", "folder", "canMount", "swapper" }'`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@turnwright/testing';
import { fileCallsIn } from './calls.ts';
import { spelled } from './spelling.ts';
import { CANARY, DENY, randomTree } from './tree.ts';

interface OperationsOrder {
  readonly kind: 'operations' | 'races';
  readonly seed: number;
  readonly count: number;
  readonly folder: string;
  readonly canMount: boolean;
  /** Program that swaps a folder. */
  readonly swapper: string;
}

export interface OperationsDone {
  readonly operations: number;
  /** Of these, successful and refused ones. */
  readonly done: number;
  readonly refused: number;
  readonly links: number;
  readonly mounts: number;
  /** What came to be read, or changed, that is outside. */
  readonly escapes: readonly string[];
}

const PER_TREE = 400;

const order = JSON.parse(process.argv[2] ?? '') as OperationsOrder;
const random = seededRandom(order.seed);
const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
const total = { operations: 0, done: 0, refused: 0, links: 0, mounts: 0 };
const escapes: string[] = [];

/** What a call asks for, on this path. */
function operation(path: string, kind = random()): readonly [tool: string, input: object] {
  if (kind < 0.34) return ['Read', { file_path: path }];
  if (kind < 0.55) return ['Write', { file_path: path, content: `words ${total.operations}` }];
  if (kind < 0.75) return ['Edit', { file_path: path, old_string: 'words', new_string: 'words words' }];
  if (kind < 0.8) return ['Edit', { file_path: path, old_string: '', new_string: 'x' }];
  if (kind < 0.9) return ['NotebookEdit', { notebook_path: path, cell_id: 'c1', new_source: 'words' }];
  if (kind < 0.985) return ['Glob', { pattern: pick(['*.txt', '**/*', '*', '../**/*.txt']), path }];
  return ['Grep', { pattern: 'CANA.Y|words', path, output_mode: 'content' }];
}

async function onTrees(): Promise<void> {
  for (let n = 0; total.operations < order.count; n++) {
    const base = join(order.folder, `tree-${n}`);
    mkdirSync(base);
    const tree = randomTree(base, random, order.canMount && n % 4 === 0);
    const call = fileCallsIn(tree.project, DENY);
    const before = tree.picture();
    const log: string[] = [];
    for (let at = 0; at < PER_TREE && total.operations < order.count; at++) {
      const path = spelled(tree, pick, random);
      const [tool, input] = operation(path);
      const { text, isError } = await call(tool, input);
      total.operations++;
      total[isError ? 'refused' : 'done']++;
      if (!isError) log.push(`${tool} ${path}`);
      if (text.replaceAll(path, '').includes(CANARY))
        escapes.push(`seed ${order.seed}: ${tool} of ${path} read it: ${JSON.stringify(input)} ${text}`);
    }
    if (tree.picture() !== before) {
      const changed = diff(before, tree.picture());
      escapes.push(
        `seed ${order.seed}, tree ${n}: changed ${changed}; writes: ${log
          .filter((l) => !/^(Read|G)/.test(l))
          .join(', ')
          .slice(0, 3000)}`,
      );
    }
    total.links += tree.links;
    total.mounts += tree.mounts;
    tree.release();
    rmSync(base, { recursive: true, force: true });
  }
}

const diff = (before: string, after: string) => {
  const known = new Set(before.split('\n'));
  return after
    .split('\n')
    .filter((line) => !known.has(line))
    .join(' | ')
    .slice(0, 300);
};

async function inRaces(): Promise<void> {
  const base = join(order.folder, 'race');
  mkdirSync(base);
  const tree = randomTree(base, random, false);
  const inside = join(tree.project, 'pub');
  mkdirSync(inside);
  const call = fileCallsIn(tree.project, DENY);
  for (const name of ['c.txt', 'linked.txt'])
    await call('Write', { file_path: join(inside, name), content: 'words' });
  const before = tree.picture();
  const swap = async () => {
    const child = spawn(process.execPath, [order.swapper, inside, tree.outside], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    return child;
  };
  let swapper = await swap();
  for (; total.operations < order.count; total.operations++) {
    // A call may make a folder just where the swapper renames one, at which it ends.
    if (swapper.exitCode !== null) {
      for (const path of [inside, `${inside}.aside`]) rmSync(path, { recursive: true, force: true });
      mkdirSync(inside);
      swapper = await swap();
    }
    const name = pick(['c.txt', 'linked.txt', 'deep/c.txt', `w${total.operations % 50}.txt`, 'n.ipynb']);
    // Few searches: each is a process.
    const [tool, input] = operation(
      join(inside, name),
      random() < 0.02 ? 0.9 + random() / 10 : random() * 0.9,
    );
    const where = tool.startsWith('G') ? { ...input, path: inside } : input;
    const { text, isError } = await call(tool, where);
    total[isError ? 'refused' : 'done']++;
    if (text.includes(CANARY)) escapes.push(`seed ${order.seed}: ${tool} of ${name} read it`);
  }
  const ended = swapper.exitCode === null ? once(swapper, 'exit') : undefined;
  swapper.kill('SIGKILL');
  await ended;
  if (tree.picture() !== before) escapes.push(`seed ${order.seed}: changed ${diff(before, tree.picture())}`);
}

await (order.kind === 'races' ? inRaces() : onTrees());
console.log(JSON.stringify({ ...total, escapes } satisfies OperationsDone));
