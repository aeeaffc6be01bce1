import { describe, expect, it } from 'vitest';
import { createMemoryInbox } from '../../src/session/inbox.ts';
import { callTool, fakeTool, say } from '../../src/testing/index.ts';
import { engineUnderTest, resultIn } from './engine-under-test.ts';

describe('an inbox of the host', () => {
  it('what is put there joins the running turn, once', async () => {
    const inbox = createMemoryInbox();
    const tool = fakeTool({ name: 'Wait', hold: true });
    const { engine, run, model } = engineUnderTest([callTool('Wait'), say('Both.'), say('Again.')], {
      inbox,
      tools: [tool],
    });
    void tool.started().then(async (call) => {
      await inbox.put(engine.sessionId, { key: 'k', priority: 'next', content: 'And this.' });
      await inbox.put(engine.sessionId, { key: 'k', priority: 'next', content: 'And this.' });
      await new Promise((resolve) => setImmediate(resolve));
      call.finish();
    });
    expect(resultIn(await run('Hi.'))).toMatchObject({ result: 'Both.' });
    expect(JSON.stringify(model.requests[1]?.view).match(/And this\./g)?.length).toBeGreaterThanOrEqual(1);
    expect(engine.queued()).toEqual([]);
    await engine.close();
  });

  it('what did not join waits in line by priority', async () => {
    const { engine, run } = engineUnderTest([say('Done.')], { inbox: createMemoryInbox() });
    await engine.enqueue({ content: 'later', priority: 'later' });
    await engine.enqueue({ content: 'next' });
    await run('Hi.');
    expect(engine.queued().map(({ content }) => content)).toEqual(['next', 'later']);
    expect(engine.takeQueued()).toMatchObject({ content: 'next' });
    await engine.close();
  });
});
