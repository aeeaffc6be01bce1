import { engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { broken, callTool, fakeTool, reply, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';

describe('a turn that stopped', () => {
  it('a queued prompt whose turn stopped stays queued, and is in the conversation once (L6)', async () => {
    const tool = fakeTool({ name: 'Wait', hold: true });
    const { engine, run, model } = engineUnderTest([callTool('Wait'), say('Both.')], {
      tools: [tool],
      maxTurns: 1,
    });
    void tool.started().then(async (call) => {
      await engine.queue.put({ content: 'And this.' });
      call.finish();
    });
    expect(resultIn(await run('Hi.'))).toMatchObject({ subtype: 'error_max_turns' });
    const next = engine.queue.take();
    expect(next).toMatchObject({ content: 'And this.' });
    await run('And this.');
    expect(JSON.stringify(model.requests[1]?.view).match(/And this\./g)).toHaveLength(1);
  });

  it('the note on a broken stream is not the answer of a turn that a tool ended', async () => {
    const { run } = engineUnderTest(
      [broken({ after: [say('Here. '), callTool('StructuredOutput', { n: 1 })] })],
      {
        outputFormat: {
          type: 'json_schema',
          schema: { type: 'object', properties: { n: { type: 'integer' } } },
        },
      },
    );
    expect(resultIn(await run('Hi.'))).toMatchObject({ terminal_reason: 'completed', result: '{"n":1}' });
  });

  it('a second empty answer is an empty success: the text before a tool call is not its result (L7 rule 7)', async () => {
    const { run } = engineUnderTest([reply([say('Let me look.'), callTool('Look')]), reply([]), reply([])], {
      tools: [fakeTool({ name: 'Look' })],
    });
    expect(resultIn(await run('Hi.'))).toMatchObject({
      subtype: 'success',
      result: '',
      stop_reason: 'end_turn',
    });
  });

  it('a session that was taken over yields no result, also if no request was made (L10.6)', async () => {
    const { engine, store } = engineUnderTest([]);
    const seen: string[] = [];
    for await (const message of engine.submitMessage('Note this.', { shouldQuery: false })) {
      seen.push(message.type);
      if (message.type === 'system') await store.takeOver(engine.sessionId);
    }
    expect(seen).toEqual(['system']);
  });
});
