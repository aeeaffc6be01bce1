/** The budget of an eval is never exceeded, whatever runs at the same time and whatever process is killed. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { against, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { expect, onTestFinished, test } from 'vitest';
import type { EvalRecord } from '../src/results/run-record.ts';
import { GOOD, makeCases, NAMES, rehearseModels } from './rehearsed-cases.ts';

/** Each answer costs about what it may cost at most. Resolves to what was billed, in USD. */
async function rehearseDear() {
  let billedUsd = 0;
  const server = await startRehearsal({
    scenario: ({ body, call }) => {
      const input_tokens = Math.round(JSON.stringify(body).length * 0.7);
      const output_tokens = Number((body as { max_tokens: number }).max_tokens);
      billedUsd += (input_tokens * 3 + output_tokens * 15) / 1e6;
      const usage = {
        input_tokens,
        output_tokens,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      };
      return reply(`right ${call}`, { usage, timing: { headersMs: 20 } });
    },
  });
  onTestFinished(() => server.close());
  return { server, billedUsd: () => billedUsd };
}

const BUDGETS = inForm([0.1, 0.4, 0.9], [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.5]);

test.each(BUDGETS)('$%f are not exceeded by four runs at a time', async (budget) => {
  const { server, billedUsd } = await rehearseDear();
  const cwd = dirname(makeCases());
  const words = ['eval', 'cases', '--model', GOOD, '--runs', '2', '--concurrency', '4', '--json'];
  const ran = await commandLine([...words, '--max-budget-usd', String(budget)], {
    env: against(server),
    cwd,
  });
  const { runs, spentUsd, missing } = JSON.parse(ran.stdout);
  expect(billedUsd()).toBeLessThanOrEqual(budget);
  expect(spentUsd).toBeCloseTo(billedUsd(), 9);
  expect(runs).toHaveLength(10);
  expect(missing.noMoney).toBe(
    runs.filter(({ outcome }: { outcome: string }) => outcome === 'no_money').length,
  );
  expect(ran.code).toBe(missing.noMoney > 0 ? 3 : 0);
  // What is left could not have paid another call: the least is 3,000 tokens of an answer.
  if (missing.noMoney > 0) expect(budget - billedUsd()).toBeLessThan(0.13);
});

test('kill -9 in the middle: what has ended is kept, what was cut off is run again, and its money counts', async () => {
  let child: ChildProcess | undefined;
  // The fifth run is waiting for its first answer then, or another one for its second.
  const server = await rehearseModels({
    delayMs: 60,
    onRequest: (n) => void (n === 9 && child?.kill('SIGKILL')),
  });
  const cwd = dirname(makeCases());
  const env = against(server);
  const words = [
    'eval',
    'cases',
    '--model',
    GOOD,
    '--runs',
    '2',
    '--max-budget-usd',
    '5',
    '--concurrency',
    '2',
  ];
  const killed = await turnwright(words, {
    env,
    cwd,
    onStart: (started) => {
      child = started;
    },
  });
  expect(killed.signal).toBe('SIGKILL');
  const file = join(cwd, '.turnwright-evals', 'cases', 'results.jsonl');
  const read = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): EvalRecord => JSON.parse(line));
  const before = read();
  // Two at a time, two requests each.
  const endedBefore = before.flatMap((each) => (each.kind === 'ended' ? [each] : []));
  expect(endedBefore.length).toBeGreaterThanOrEqual(3);
  expect(endedBefore.length).toBeLessThan(10);
  const cutOff = before.filter((each) => each.kind === 'begun').length - endedBefore.length;
  expect(cutOff).toBeGreaterThan(0);

  const copies = readFileSync(join(dirname(file), 'copies'), 'utf8');
  expect(existsSync(copies)).toBe(true);

  const ran = await commandLine([...words, '--json'], { env, cwd });
  expect(ran.code).toBe(0);
  expect([existsSync(copies), existsSync(join(dirname(file), 'copies'))]).toEqual([false, false]);
  const { runs, earlier, spentUsd, lostUsd, missing } = JSON.parse(ran.stdout);
  expect({ earlier, missing, runs: runs.length }).toEqual({
    earlier: endedBefore.length,
    missing: { noMoney: 0, interrupted: 0 },
    runs: 10,
  });
  // None that had ended was run again.
  const places = runs.map((run: { case: string; run: number }) => `${run.case} ${run.run}`).sort();
  expect(places).toEqual(NAMES.flatMap((name) => [`${name} 1`, `${name} 2`]).sort());
  expect(read().filter((each) => each.kind === 'begun')).toHaveLength(10 + cutOff);
  // A call of a run that was cut off counts in full, as long as nothing says what it was billed with.
  const settled = new Set(read().flatMap((each) => (each.kind === 'settled' ? [each.id] : [])));
  const unsettled = read().flatMap((each) =>
    each.kind === 'reserved' && !settled.has(each.id) ? [each.usd] : [],
  );
  const counted = runs.reduce((sum: number, { costUsd }: { costUsd: number }) => sum + costUsd, 0);
  expect(counted).toBeCloseTo(10 * 0.009, 9);
  expect(lostUsd).toBeGreaterThanOrEqual(unsettled.reduce((sum, usd) => sum + usd, 0) - 1e-9);
  expect(spentUsd).toBeCloseTo(counted + lostUsd, 9);
  expect(spentUsd).toBeLessThanOrEqual(5);
  // Of the real requests, each answered one costs 0.0045 dollars.
  const billed = server.requests.filter(({ path }) => path === '/v1/messages').length * 0.0045;
  expect(spentUsd).toBeGreaterThanOrEqual(billed - 1e-9);
}, 60_000);
