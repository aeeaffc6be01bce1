/** `turnwright eval`: the figures of an eval are those computed by hand. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { against } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { expect, test } from 'vitest';
import { estimatePassAt } from '../src/results/score.ts';
import { GOOD, makeCases, rehearseModels, WEAK } from './rehearsed-cases.ts';

test('5 cases × 2 models × 3 runs: figures, table, thresholds, and the same command again', async () => {
  const server = await rehearseModels();
  const cwd = dirname(makeCases());
  const env = against(server);
  const words = ['eval', 'cases', '--model', `${GOOD},${WEAK}`, '--runs', '3', '--max-budget-usd', '9'];
  const ran = await commandLine([...words, '--json'], { env, cwd });
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr.split('\n').filter((line) => /^[✓✗] \d+\/30 /.test(line))).toHaveLength(30);
  const { variants, runs, missing, spentUsd, lostUsd } = JSON.parse(ran.stdout);
  // Prices per million tokens: 3 and 15 dollars, 1 and 5 dollars. The good model is asked 15 × 2 times, the weak one
  // 12 times once and 3 times twice, each time with 1,000 tokens in and 100 out.
  expect(variants).toMatchObject([
    {
      variant: GOOD,
      passed: 12,
      counted: 15,
      tokens: { input: 30_000, output: 3_000, cacheRead: 0, cacheWrite: 0 },
      turns: { total: 30, mean: 2 },
      reasons: { completed: 15 },
      decisions: { 'continue next_turn': 15, 'stop completed': 15 },
    },
    {
      variant: WEAK,
      passed: 3,
      counted: 15,
      tokens: { input: 18_000, output: 1_800, cacheRead: 0, cacheWrite: 0 },
      turns: { total: 18, mean: 1.2 },
      reasons: { completed: 15 },
      decisions: { 'stop completed': 15, 'continue next_turn': 3 },
    },
  ]);
  // c = 3, 3, 2, 1, 3 and 0, 1, 0, 2, 0 of n = 3.
  const [good, weak] = variants;
  expect(
    [good, weak].map(({ passAt }) => [passAt[1], passAt[2], passAt[3]].map((value) => value.toFixed(9))),
  ).toEqual([
    ['0.800000000', '0.933333333', '1.000000000'],
    ['0.200000000', '0.333333333', '0.400000000'],
  ]);
  const usd = [
    good.costUsd.total,
    good.costUsd.mean,
    weak.costUsd.total,
    weak.costUsd.mean,
    spentUsd,
    lostUsd,
  ];
  expect(usd.map((value) => value.toFixed(9))).toEqual(
    [0.135, 0.009, 0.027, 0.0018, 0.162, 0].map((value) => value.toFixed(9)),
  );
  expect(missing).toEqual({ noMoney: 0, interrupted: 0 });
  expect(runs).toHaveLength(30);

  const requests = server.requests.length;
  // What a process that was killed while it wrote has left.
  appendFileSync(join(cwd, '.turnwright-evals', 'cases', 'results.jsonl'), '{"kind":"ended","case":"fi');
  const again = await commandLine([...words, '--min-pass-rate', '0.5', '--max-turns-per-run', '1.5'], {
    env,
    cwd,
  });
  expect(again.code).toBe(1);
  expect(server.requests.length).toBe(requests);
  expect(again.stdout).toContain('claude-sonnet-4-5   12/15  80.0 %  100.0 %  $0.0090    2.2k    2.0');
  expect(again.stdout).toContain('claude-haiku-4-5     3/15  20.0 %   40.0 %  $0.0018    1.3k    1.2');
  expect(again.stdout).toContain('one    ✓✗✓                ✗✗✗\nthree  ✗✗✓                ✓✓✗\n');
  expect(again.stdout).toContain(
    '  one, claude-sonnet-4-5, run 2: file answer.txt\n    It does not contain "right".\n',
  );
  expect(again.stdout).toContain(
    'Spent: $0.1620.\n30 runs were on the record already.\n1 line of the results could',
  );
  expect(again.stdout).toContain(
    '✗ claude-sonnet-4-5 takes 2.0 turns a run, more than 1.5 (--max-turns-per-run)\n✗ claude-haiku-4-5 passes 3 of 15, less than 0.5',
  );
  for (const line of again.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  // Nothing is left of the working copies, and git passes the results over.
  expect(readdirSync(join(cwd, '.turnwright-evals', 'cases')).sort()).toEqual([
    '.gitignore',
    'results.jsonl',
    'sessions',
  ]);
  expect(readFileSync(join(cwd, '.turnwright-evals', 'cases', '.gitignore'), 'utf8')).toBe('*\n');
});

test.each([
  { n: 3, c: 0, k: 1, is: 0 },
  { n: 3, c: 1, k: 1, is: 1 / 3 },
  { n: 5, c: 2, k: 3, is: 1 - 1 / 10 },
  { n: 10, c: 3, k: 5, is: 1 - 21 / 252 },
  { n: 4, c: 4, k: 4, is: 1 },
  { n: 2, c: 1, k: 3, is: undefined },
])('pass@$k of $c in $n', ({ n, c, k, is }) => {
  if (is === undefined) expect(estimatePassAt(n, c, k)).toBe(undefined);
  else expect(estimatePassAt(n, c, k)).toBeCloseTo(is, 12);
});
