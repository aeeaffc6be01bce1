/** Deferral begins with the first request where servers may bring tools later. */
import { expect, it } from 'vitest';
import { Deferral } from '../../src/tools/deferral.ts';

const deferral = (share: number, expectsMore: boolean) => {
  const made = new Deferral({
    shareOf: () => share,
    windowOf: () => 200_000,
    expectsMore: () => expectsMore,
  });
  made.weigh([], 'claude-opus-5-5');
  return made.active;
};

it('is on before the first tool that it defers, so that the tools of later requests begin alike', () => {
  expect(deferral(0, true)).toBe(true);
  expect(deferral(0, false)).toBe(false);
  expect(deferral(0.1, true)).toBe(false);
  expect(deferral(1, true)).toBe(false);
});
