import { collect, engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import {
  callTool,
  fail,
  fakeTool,
  recordingStore,
  type ScriptStep,
  say,
  sequentialIds,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../src/protocol/session/journal.ts';

type Config = Parameters<typeof engineUnderTest>[1];

/** Runs the prompts, then resumes from a journal that lacks the end of the last one: its cost and result. */
async function diedBeforeItsResult(prompts: number, script: readonly ScriptStep[], config: Config = {}) {
  const first = engineUnderTest(script, config);
  for (let n = 0; n < prompts; n += 1) await first.run(`Prompt ${n}.`);
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const end = entries.findLastIndex(({ type }) => type === 'cost');
  const store = recordingStore();
  const { epoch } = await store.takeOver(sessionId);
  await store.append(sessionId, epoch, 0, entries.slice(0, end) as unknown as JournalBody[]);
  const second = engineUnderTest([], { ...config, store, resume: sessionId, ids: sequentialIds(1000) });
  return resultIn(await collect(second.engine.resume()));
}

describe('a run that died between its decision and its result', () => {
  it('an API error: the result is the error, not what was said in an earlier submission', async () => {
    const script = [
      say('Earlier.'),
      fail({ kind: 'invalid_request', status: 400, message: 'No such thing.' }),
    ];
    const result = await diedBeforeItsResult(2, script);
    expect(result).toMatchObject({ subtype: 'success', is_error: true, terminal_reason: 'api_error' });
    expect(result).toMatchObject({ result: expect.stringContaining('No such thing.') });
  });

  it('counts the messages of its previous process', async () => {
    const result = await diedBeforeItsResult(1, [callTool('Look'), say('Done.')], {
      tools: [fakeTool({ name: 'Look' })],
    });
    expect(result).toMatchObject({ result: 'Done.', num_turns: 2 });
  });

  it('keeps the structured value that was accepted', async () => {
    const result = await diedBeforeItsResult(1, [callTool('StructuredOutput', { n: 4 })], {
      outputFormat: {
        type: 'json_schema',
        schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      },
    });
    expect(result).toMatchObject({ terminal_reason: 'completed', structured_output: { n: 4 } });
  });
});
