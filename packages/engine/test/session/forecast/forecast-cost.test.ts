import { expect, it } from 'vitest';
import type { FinishedRun } from '../../../src/protocol/session/forecast.ts';
import { forecastCost } from '../../../src/session/forecast/forecast-cost.ts';

/** Numbers in [0, 1) that are the same for each seed. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PRICE = { 'claude-opus-5-5': 5, 'claude-haiku-4-5': 1 } as const;

/** A run whose cost depends on model, agent and size, and is spread over two orders of magnitude. */
function drawRun(random: () => number, at: number): FinishedRun {
  const model = random() < 0.7 ? 'claude-opus-5-5' : 'claude-haiku-4-5';
  const agent = random() < 0.8 ? 'main' : 'reviewer';
  const tokens = Math.round(10 * 4 ** (random() * 6));
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const turns = Math.max(1, Math.round(Math.exp(1.5 + normal)));
  const usd = (PRICE[model] * turns * (2_000 + tokens + turns * 400)) / 1e6 + (agent === 'main' ? 0.01 : 0);
  return { at, model, agent, tokens, usd };
}

/** How many of `ranges` hold the true cost, and how many should by what they say. */
function countHeld(ranges: readonly { readonly isHeld: boolean; readonly share: number }[]) {
  const held = ranges.filter(({ isHeld }) => isHeld).length / ranges.length;
  const promised = ranges.reduce((sum, { share }) => sum + share, 0) / ranges.length;
  return { held, promised, count: ranges.length };
}

/** Forecasts of 100 runs after 150 others. `spent`: the part of its cost that a run has had when it is asked. */
function forecastHundred(seed: number, spent: number) {
  const random = seededRandom(seed);
  const runs = Array.from({ length: 250 }, (_, at) => drawRun(random, at));
  return runs.slice(150).flatMap((run, index) => {
    const range = forecastCost(runs.slice(0, 150 + index), { ...run, spentUsd: run.usd * spent });
    if (range.kind !== 'range') return [];
    return [{ isHeld: run.usd >= range.lowUsd && run.usd <= range.highUsd, share: range.share }];
  });
}

it('100 sessions cost what was said as often as was said, within 5 %', () => {
  const { held, promised, count } = countHeld(forecastHundred(7, 0));
  expect(count).toBe(100);
  expect(promised).toBeGreaterThan(0.75);
  expect(Math.abs(held - promised)).toBeLessThanOrEqual(0.05);
});

it('it is no luck: over 100 times 100 sessions the two are the same within 2 %', () => {
  const all = Array.from({ length: 100 }, (_, seed) => forecastHundred(seed + 1, 0)).flat();
  const { held, promised } = countHeld(all);
  expect(Math.abs(held - promised)).toBeLessThanOrEqual(0.02);
});

it('while it runs, the range to the end holds as well, and never begins below what is spent', () => {
  const random = seededRandom(3);
  const runs = Array.from({ length: 1_500 }, (_, at) => drawRun(random, at));
  // Asked at a sum that has nothing to do with what the run will cost in the end.
  const ranges = runs.slice(300).flatMap((run, index) => {
    const spentUsd = 0.02 + random() * 0.05;
    if (run.usd < spentUsd) return [];
    const range = forecastCost(runs.slice(index, 300 + index), { ...run, spentUsd });
    if (range.kind !== 'range') return [];
    expect(range.lowUsd).toBeGreaterThanOrEqual(spentUsd);
    return [{ isHeld: run.usd >= range.lowUsd && run.usd <= range.highUsd, share: range.share }];
  });
  const { held, promised, count } = countHeld(ranges);
  expect(count).toBeGreaterThan(300);
  expect(Math.abs(held - promised)).toBeLessThanOrEqual(0.05);
});

const runOf = (usd: number, of: Partial<FinishedRun> = {}): FinishedRun => ({
  at: 0,
  model: 'm',
  agent: 'main',
  tokens: 100,
  usd,
  ...of,
});
const thisRun = { model: 'm', agent: 'main', tokens: 100 };

it('too few runs are no range, and it says how many there are', () => {
  const eight = Array.from({ length: 8 }, (_, index) => runOf(index + 1));
  expect(forecastCost(eight, thisRun)).toEqual({ kind: 'unknown', runs: 8, dearer: 8 });
  expect(forecastCost([], thisRun)).toEqual({ kind: 'unknown', runs: 0, dearer: 0 });
  expect(forecastCost([...eight, runOf(9)], thisRun)).toEqual({
    kind: 'range',
    lowUsd: 1,
    highUsd: 9,
    share: 0.8,
    runs: 9,
    basis: 'model_agent_size',
  });
});

it('runs of another size or agent are taken where there are too few like it, and never those of another model', () => {
  const others = Array.from({ length: 12 }, (_, index) => runOf(index + 1, { tokens: 100_000 }));
  expect(forecastCost(others, thisRun)).toMatchObject({ kind: 'range', basis: 'model_agent' });
  const byAgent = others.map((run) => ({ ...run, agent: 'reviewer' }));
  expect(forecastCost(byAgent, thisRun)).toMatchObject({ kind: 'range', basis: 'model' });
  const byModel = others.map((run) => ({ ...run, model: 'n' }));
  expect(forecastCost(byModel, thisRun)).toEqual({ kind: 'unknown', runs: 0, dearer: 0 });
});

it('a run that costs more than nearly all before it has no range any more', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => runOf(index + 1));
  expect(forecastCost(twenty, { ...thisRun, spentUsd: 15 })).toEqual({
    kind: 'unknown',
    runs: 20,
    dearer: 6,
  });
});
