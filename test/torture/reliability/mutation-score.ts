/** R15: how often the tests notice a small change of the loop, the journal, the gate and the permissions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryFolder } from '../memory-folder.ts';
import { row } from '../row.ts';

interface Report {
  readonly mutants: number;
  readonly killed: number;
  readonly stale: readonly { readonly file: string; readonly change: string }[];
}

const MUTATE = join(import.meta.dirname, '../../../scripts/mutate/index.mjs');

row('R15', async ({ figures, quick, size, seed, timeLeftMs }) => {
  const report = join(memoryFolder(), 'report.json');
  // The map of which test reaches which mutant takes minutes, so the short form keeps to one room and its tests.
  const sample = quick
    ? ['--most', '20', '--files', 'packages/engine/src/loop/rules', '--tests', 'packages/engine/test/loop']
    : ['--most', '400', '--minutes', String((timeLeftMs() * 0.85) / 60_000)];
  const child = spawn(process.execPath, [MUTATE, '--seed', String(seed), '--json', report, ...sample], {
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const { mutants, killed, stale } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  figures.atLeast('mutants', mutants, size(20, 100));
  figures.share('killed', killed, mutants, 85);
  figures.none(
    'equivalent mutants that match none',
    stale.map(({ file, change }) => `${file}: ${change}`),
  );
});
