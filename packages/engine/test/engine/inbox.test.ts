import { engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fakeTool, say, sequentialIds } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryInbox } from '../../src/session/in-process/inbox.ts';

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
    expect(engine.queue.list()).toEqual([]);
    await engine.close();
  });

  it('a resumed session does not receive again what its previous process consumed (L4.1)', async () => {
    const inbox = createMemoryInbox();
    const tool = fakeTool({ name: 'Wait', hold: true });
    const first = engineUnderTest([callTool('Wait'), say('Both.')], { inbox, tools: [tool] });
    const { sessionId } = first.engine;
    void tool.started().then(async (call) => {
      await inbox.put(sessionId, { key: 'k', priority: 'next', content: 'And this.' });
      await new Promise((resolve) => setImmediate(resolve));
      call.finish();
    });
    await first.run('Hi.');
    await first.engine.close();
    await inbox.put(sessionId, { key: 'new', priority: 'next', content: 'New.' });
    const ids = sequentialIds(1000);
    const second = engineUnderTest([say('Good.')], { inbox, store: first.store, resume: sessionId, ids });
    await second.run('Go on.');
    expect(second.engine.queue.list().map(({ key }) => key)).toEqual(['new']);
    await second.engine.close();
  });

  it('prompts that did not join stay queued by priority', async () => {
    const { engine, run } = engineUnderTest([say('Done.')], { inbox: createMemoryInbox() });
    await engine.queue.put({ content: 'later', priority: 'later' });
    await engine.queue.put({ content: 'next' });
    await run('Hi.');
    expect(engine.queue.list().map(({ content }) => content)).toEqual(['next', 'later']);
    expect(engine.queue.take()).toMatchObject({ content: 'next' });
    await engine.close();
  });
});
