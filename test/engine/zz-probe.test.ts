import { it } from 'vitest';
import { createMemoryInbox } from '../../src/session/inbox.ts';
import { callTool, fakeTool, say, sequentialIds, reply, hang } from '../../src/testing/index.ts';
import { collect, engineUnderTest, resultIn } from './engine-under-test.ts';

it('inbox after resume', async () => {
  const inbox = createMemoryInbox();
  const tool = fakeTool({ name: 'Wait', hold: true });
  const a = engineUnderTest([callTool('Wait'), say('Both.')], { inbox, tools: [tool] });
  void tool.started().then(async (call) => {
    await inbox.put(a.engine.sessionId, { key: 'k', priority: 'next', content: 'And this.' });
    await new Promise((r) => setImmediate(r));
    call.finish();
  });
  await a.run('Hi.');
  await a.engine.close();
  const b = engineUnderTest([say('x')], { inbox, store: a.store, resume: a.engine.sessionId, ids: sequentialIds(1000) });
  await b.run('More.');
  console.log('QUEUED AFTER RESUME', JSON.stringify(b.engine.queued()));
});

it('decision size', async () => {
  const a = engineUnderTest(
    [reply([say('x'), ...Array.from({ length: 20 }, () => callTool('Look', { a: 1 }))]), callTool('Look'), say('ok')],
    { tools: [fakeTool({ name: 'Look' })] },
  );
  await a.run('Hi.');
  for (const e of a.store.entries(a.engine.sessionId)) if (e.type === 'decision') console.log('SIZE', JSON.stringify(e.record).length, e.record.tools.length);
});

it('abort in setup', async () => {
  const a = engineUnderTest([say('x')], {
    hooks: undefined as never,
  });
  const ms = [];
  const gen = a.engine.submitMessage('x');
  a.engine.interrupt();
  const p = gen.next();
  a.engine.interrupt();
  ms.push((await p).value);
  for await (const m of gen) ms.push(m);
  console.log('SETUP ABORT', JSON.stringify(resultIn(ms as never)).slice(0, 300));
});
