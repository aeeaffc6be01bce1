/** In every order of the steps of two workers, the sweep and what goes wrong, a session gets its one result. */
import { expect, it } from 'vitest';
import { ALL_RULES, explore, type Rules } from './ownership-model.ts';

const HAND_OVERS = { kills: 0, silences: 0, handOvers: 2 };
const ONE_KILL = { kills: 1, silences: 0, handOvers: 1 };

it('is idle with one result, and can become that from every state, whatever goes wrong', () => {
  const { states, steps, broken } = explore(ALL_RULES, { kills: 1, silences: 1, handOvers: 1 });
  expect(broken.slice(0, 1)).toEqual([]);
  expect(states).toBeGreaterThan(20_000);
  expect(steps).toBeGreaterThan(90_000);
});

it('loses no run of a worker that lives to hand-overs alone', () => {
  expect(explore(ALL_RULES, HAND_OVERS).broken.slice(0, 1)).toEqual([]);
});

const without = (...rules: readonly (keyof Rules)[]): Rules => ({
  ...ALL_RULES,
  ...Object.fromEntries(rules.map((rule) => [rule, false])),
});

it.each([
  [['takesFromNobodyAlive'], 'a run was taken from a worker that lives', HAND_OVERS],
  [['oneRunAWorker'], 'a run was taken from a worker that lives', HAND_OVERS],
  [['oneRunAWorker', 'lostWritesNothing'], 'a result of a run that was broken off', ONE_KILL],
  [['oneRunAWorker', 'lostWritesNothing', 'endsByEpoch'], 'idle without a result', ONE_KILL],
] as const)('without %s: %s', (rules, what, left) => {
  expect(explore(without(...rules), left).broken.map((one) => one.what)).toContain(what);
});
