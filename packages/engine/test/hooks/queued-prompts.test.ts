/** UserPromptSubmit for what is said while the model works. */

import { collect, engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { HookCallback, SDKMessage } from '../../src/index.ts';

const told = (messages: readonly SDKMessage[]) =>
  messages.flatMap((m) => (m.type === 'system' && m.subtype === 'informational' ? [m.content] : []));

/** Refuses what speaks of gold, and remarks on the rest. */
const guard =
  (more: object = {}): HookCallback =>
  async ({ prompt }) =>
    String(prompt).includes('gold')
      ? { decision: 'block', reason: 'Not that.', ...more }
      : { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: `Seen: ${prompt}` } };

function underTest(hook: HookCallback) {
  const tool = fakeTool({ name: 'Wait', hold: true });
  const session = engineUnderTest([callTool('Wait'), say('Done.'), say('Again.')], {
    tools: [tool],
    hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
  });
  return { ...session, tool };
}

describe('a prompt that joins a running turn', () => {
  it('is judged by hooks; a refused one never reaches the model, leaves the queue, and is reported', async () => {
    const { engine, model, store, tool } = underTest(guard());
    void tool.started().then(async (call) => {
      await engine.queue.put({ content: 'Dig for gold.' });
      await engine.queue.put({ content: 'Dig for copper.' });
      call.finish();
    });
    const messages = await collect(engine.submitMessage('Hi.'));
    expect(resultIn(messages)).toMatchObject({ result: 'Done.' });
    const asked = JSON.stringify(model.requests[1]?.view);
    expect(asked).toContain('Dig for copper.');
    expect(asked).toContain('Seen: Dig for copper.');
    expect(asked).not.toContain('gold');
    expect(told(messages)).toEqual(['Not that.\nThe prompt was: Dig for gold.']);
    expect(engine.queue.list()).toEqual([]);
    await collect(engine.submitMessage('And?'));
    expect(JSON.stringify(model.requests)).not.toContain('gold');
    expect(JSON.stringify(await store.entries(engine.sessionId))).not.toContain('gold');
    await engine.close();
  });

  it('suppressOriginalPrompt omits the prompt from the message', async () => {
    const specific = { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true };
    const { engine, tool } = underTest(guard({ hookSpecificOutput: specific }));
    void tool.started().then(async (call) => {
      await engine.queue.put({ content: 'Dig for gold.' });
      call.finish();
    });
    expect(told(await collect(engine.submitMessage('Hi.')))).toEqual(['Not that.']);
    expect(told(await collect(engine.submitMessage('More gold.')))).toEqual(['Not that.']);
    await engine.close();
  });

  it('a hook that fails lets none join', async () => {
    const { engine, model, tool } = underTest(async ({ prompt }) => {
      if (prompt === 'Hi.') return {};
      throw new Error('no idea');
    });
    void tool.started().then(async (call) => {
      await engine.queue.put({ content: 'Dig.' });
      call.finish();
    });
    const messages = await collect(engine.submitMessage('Hi.'));
    expect(JSON.stringify(model.requests[1]?.view)).not.toContain('Dig.');
    expect(told(messages).join()).toContain('no idea');
    await engine.close();
  });

  it('an interruption while the hook runs leaves the prompt in the queue', async () => {
    const { engine, tool } = underTest(async ({ prompt }) => {
      if (prompt !== 'Hi.') engine.interrupt();
      return {};
    });
    void tool.started().then(async (call) => {
      await engine.queue.put({ content: 'Dig.' });
      call.finish();
    });
    await collect(engine.submitMessage('Hi.'));
    expect(engine.queue.list().map(({ content }) => content)).toEqual(['Dig.']);
    await engine.close();
  });
});
