/** `turnwright eval`: the figures of an eval are those computed by hand. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { against } from '../cli/bin.ts';
import { commandLine } from '../cli/command-line.ts';
import { GOOD, makeCases, rehearseModels, WEAK } from './rehearsed-cases.ts';

test('5 cases × 2 models × 3 runs', async () => {
  const server = await rehearseModels();
  const cases = makeCases();
  const cwd = dirname(cases);
  const words = ['eval', 'cases', '--model', `${GOOD},${WEAK}`, '--runs', '3', '--max-budget-usd', '50'];
  const ran = await commandLine(words, { env: against(server), cwd });
  console.log(ran.stderr, ran.stdout);
  expect(ran.code).toBe(0);
});
