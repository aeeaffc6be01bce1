import { collect, engineUnderTest, resultIn, telling } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, deferred, fakeTool, hang, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';

const notes = (messages: readonly SDKMessage[]) =>
  messages.flatMap((m) =>
    m.type === 'user' && typeof m.message.content !== 'string'
      ? m.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      : [],
  );

describe('ending a submission early', () => {
  it('interrupt in the stream: the note, then the result; the session goes on', async () => {
    const { engine, run } = engineUnderTest([hang(say('Half a')), say('Fine.')]);
    const first = engine.submitMessage('Hi.');
    await first.next();
    const next = first.next();
    setImmediate(() => engine.interrupt());
    const messages = [(await next).value as SDKMessage, ...(await collect(first))];
    expect(notes(messages)).toEqual(['[Request interrupted by user]']);
    expect(resultIn(messages)).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'aborted_streaming',
      is_error: true,
    });
    expect(resultIn(await run('Go on.'))).toMatchObject({ result: 'Fine.' });
  });

  it('interrupt while a tool runs: its result is synthesised, the note says so', async () => {
    const tool = fakeTool({ name: 'Wait', hold: true });
    const { engine } = engineUnderTest([callTool('Wait')], { tools: [tool] });
    void tool.started().then(() => engine.interrupt());
    const messages = await collect(engine.submitMessage('Hi.'));
    expect(notes(messages)).toEqual(['[Request interrupted by user for tool use]']);
    expect(resultIn(messages)).toMatchObject({
      terminal_reason: 'aborted_tools',
      stop_reason: 'tool_use',
      num_turns: 3,
    });
  });

  it('a `now` prompt pre-empts without a note and waits to be submitted', async () => {
    const tool = fakeTool({ name: 'Wait', hold: true });
    const { engine } = engineUnderTest([callTool('Wait'), say('New.')], { tools: [tool] });
    void tool
      .started()
      .then(() => engine.queue.put({ content: 'Stop, do this.', priority: 'now', uuid: 'n1' }));
    const messages = await collect(engine.submitMessage('Hi.'));
    expect(notes(messages)).toEqual([]);
    expect(resultIn(messages)).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(engine.queue.take()).toMatchObject({ content: 'Stop, do this.', uuid: 'n1', priority: 'now' });
    expect(engine.queue.take()).toBeUndefined();
  });

  it('the caller’s abortController: reason interrupt leaves no note', async () => {
    for (const [reason, expected] of [
      ['interrupt', []],
      [undefined, ['[Request interrupted by user for tool use]']],
    ] as const) {
      const abortController = new AbortController();
      const tool = fakeTool({ name: 'Wait', hold: true });
      const { engine } = engineUnderTest([callTool('Wait')], { tools: [tool], abortController });
      void tool.started().then(() => abortController.abort(reason));
      expect(notes(await collect(engine.submitMessage('Hi.')))).toEqual(expected);
    }
  });

  it('an abort before the first request spends none', async () => {
    const abortController = new AbortController();
    abortController.abort();
    const { run, model } = engineUnderTest([], { abortController });
    expect(resultIn(await run('Hi.'))).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(model.requests).toHaveLength(0);
  });

  it.each(['before the first block', 'in a block', 'while a tool runs'] as const)(
    'F47: return() beside a pending next(), %s: both end, without a result',
    async (when) => {
      const asked = deferred<void>();
      const tool = fakeTool({ name: 'Wait', hold: true });
      const step = {
        'before the first block': hang(),
        'in a block': hang(say('Half a')),
        'while a tool runs': callTool('Wait'),
      };
      const { engine, run, store } = engineUnderTest([telling(asked, step[when]), say('Fine.')], {
        tools: [tool],
      });
      const messages = engine.submitMessage('Hi.');
      const taken = when === 'before the first block' ? 'system' : 'assistant';
      while ((await messages.next()).value?.type !== taken);
      const pending = messages.next();
      await asked.promise;
      if (when === 'while a tool runs') await tool.started();
      await messages.return(undefined);
      expect(await pending).toEqual({ done: true, value: undefined });
      expect(await messages.next()).toEqual({ done: true, value: undefined });
      expect(store.entries(engine.sessionId).filter(({ type }) => type === 'result')).toEqual([]);
      expect(resultIn(await run('Again.'))).toMatchObject({ result: 'Fine.' });
    },
  );

  it('throw() beside a pending next(): no result either', async () => {
    const asked = deferred<void>();
    const { engine } = engineUnderTest([telling(asked, hang())]);
    const messages = engine.submitMessage('Hi.');
    await messages.next();
    const pending = messages.next();
    await asked.promise;
    await expect(messages.throw(new Error('mine'))).rejects.toThrow('mine');
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  it('close ends the run without a result, and the engine for good', async () => {
    const tool = fakeTool({ name: 'Wait', hold: true });
    const { engine } = engineUnderTest([callTool('Wait')], { tools: [tool] });
    void tool.started().then(() => engine.close());
    const messages = await collect(engine.submitMessage('Hi.'));
    expect(messages.some(({ type }) => type === 'result')).toBe(false);
    await expect(engine.submitMessage('More.').next()).rejects.toMatchObject({ code: 'engine_closed' });
    await engine.close();
  });
});
