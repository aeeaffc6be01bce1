import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { replayJournal } from '../../src/replay/replay-journal.ts';

describe('a replay', () => {
  it('decides the same', async () => {
    const run = engineUnderTest([callTool('Look', { a: 1 }), say('Done.'), say('Again.')], {
      tools: [fakeTool({ name: 'Look', readOnly: true })],
    });
    await run.run('hi');
    await run.run('more');
    const entries = run.store.entries(run.engine.sessionId);
    const report = await replayJournal(entries);
    expect(report.difference).toBeUndefined();
    expect(report.iterations).toBe(3);
  });
});
