/** Many sessions of one process: how much of them begins in one turn of its event loop. */
import { expect, it } from 'vitest';
import { callTool, type ScriptStep, say } from '../../src/testing/index.ts';
import { gather, queryUnderTest } from './query-under-test.ts';

it('the iterations of forty sessions are spread over turns of the event loop', async () => {
  let begun = 0;
  let most = 0;
  const counted = (step: ScriptStep): ScriptStep => {
    return (request) => {
      if (begun++ === 0) {
        setImmediate(() => {
          begun = 0;
        });
      }
      most = Math.max(most, begun);
      return typeof step === 'function' ? step(request) : step;
    };
  };
  const script = [callTool('Unknown', {}), callTool('Unknown', {}), say('Done.')].map(counted);
  const ends = await Promise.all(
    Array.from({ length: 40 }, () => gather(queryUnderTest(script, 'Go.').query)),
  );
  expect(ends.map(({ results }) => results[0]?.subtype)).toEqual(Array(40).fill('success'));
  // Eight, and eight more that begin before this test is told of the next turn. Without turns there were 48.
  expect(most).toBeLessThanOrEqual(16);
});
