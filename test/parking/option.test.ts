/** The option that lets a run end before the submission that it waits with. */
import { expect, it } from 'vitest';
import { query } from '../../src/index.ts';

it('parkAfterMs is a number above 0', () => {
  expect(() => query({ prompt: 'Go.', options: { parkAfterMs: 0 } })).toThrow(/parkAfterMs.*number above 0/);
});
