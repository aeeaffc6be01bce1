/** Which spending a strict budget counts in a process that resumes a session (L9). */

import { collect, engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fakeTool, recordingStore, say, sequentialIds } from '@turnwright/testing';
import { expect, it } from 'vitest';
import type { JournalBody } from '../../../src/protocol/session/journal.ts';

const tools = [fakeTool({ name: 'Look' })];
const strict = { tools, maxBudgetUsd: 1, strictBudget: true };
/** $0.60 of Opus. */
const usage = { output_tokens: 30_000 };

async function interrupted() {
  const first = engineUnderTest([say('Earlier.', { usage }), callTool('Look', {}, { usage }), say('Done.')], {
    tools,
  });
  await first.run('First.');
  await first.run('Second.');
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const cut = entries.findLastIndex(({ type }) => type === 'response');
  const store = recordingStore();
  const { epoch } = await store.takeOver(sessionId);
  await store.append(sessionId, epoch, 0, entries.slice(0, cut - 1) as unknown as JournalBody[]);
  return { store, resume: sessionId, ids: sequentialIds(1000) };
}

it('a submission that is carried on counts what it has spent, and nothing from before it', async () => {
  const { engine, model } = engineUnderTest(
    [callTool('Look', {}, { usage: { output_tokens: 14_000 } }), say('Never said.')],
    { ...strict, ...(await interrupted()), maxOutputTokens: 14_000 },
  );
  const result = resultIn(await collect(engine.resume()));
  // $0.60 in the first process, $0.28 in this one; $0.28 more do not fit, and $0.06 do.
  expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([14_000, expect.any(Number)]);
  expect(model.requests[1]?.maxTokens).toBeLessThan(6_000);
  expect(result).toMatchObject({ subtype: 'success' });
});

it('a new prompt begins with the whole budget', async () => {
  const { run, model } = engineUnderTest([say('Done.')], {
    ...strict,
    ...(await interrupted()),
    maxOutputTokens: 45_000,
  });
  expect(resultIn(await run('Third.'))).toMatchObject({ subtype: 'success' });
  expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([45_000]);
});
