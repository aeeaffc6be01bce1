/** Many sessions of one process: how much of them begins in one turn of its event loop. */

import { gather, queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import { callTool, recordingStore, type ScriptStep, say } from '@turnwright/testing';
import { expect, it } from 'vitest';

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

it('a decision is recorded together with the next request, also where the next iteration waits', async () => {
  const appended: string[] = [];
  const ends = await Promise.all(
    Array.from({ length: 40 }, () => {
      const store = recordingStore();
      const append: typeof store.append = (id, epoch, afterSeq, bodies) => {
        appended.push(bodies.map(({ type }) => type).join(' '));
        return store.append(id, epoch, afterSeq, bodies);
      };
      const script = [callTool('Unknown', {}), callTool('Unknown', {}), say('Done.')];
      const engine = { store: { ...store, append } };
      return gather(queryUnderTest(script, 'Go.', { engine }).query);
    }),
  );
  expect(ends.map(({ results }) => results[0]?.subtype)).toEqual(Array(40).fill('success'));
  expect(appended.filter((types) => types === 'decision request')).toHaveLength(80);
  expect(appended).not.toContain('decision');
});
