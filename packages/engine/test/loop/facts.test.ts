/** What the decision record keeps of the facts that a rule read: counts and words, never contents. */

import { failure } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { type Facts, watchReads } from '../../src/loop/facts.ts';

it.each<[keyof Facts, unknown, unknown]>([
  ['messages', [{}, {}], 2],
  ['calls', [], 0],
  ['stopReason', null, null],
  ['stopReason', 'end_turn', 'end_turn'],
  ['abortReason', undefined, null],
  ['outputTokens', 0, 0],
  ['endsTurn', false, false],
  ['failure', failure({ kind: 'overloaded' }), 'overloaded'],
  ['preventContinuation', { stopReason: 'enough', hookName: 'h' }, 'enough'],
  ['thrown', { error: new TypeError('a secret') }, 'TypeError'],
  ['thrown', { error: 'a secret' }, 'error'],
])('of %s, %j, it keeps %j', (name, value, kept) => {
  const { facts, watch } = watchReads({ [name]: value } as unknown as Facts);
  const read = watch();
  expect(facts[name]).toBe(value);
  expect(read).toEqual({ [name]: kept });
});

it('a rule has the reads since it began alone', () => {
  const { facts, watch } = watchReads({ outputTokens: 1, endsTurn: true } as Facts);
  const first = watch();
  void facts.outputTokens;
  const second = watch();
  void facts.endsTurn;
  expect([first, second]).toEqual([{ outputTokens: 1 }, { endsTurn: true }]);
});
