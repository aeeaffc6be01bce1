import { describe, expect, it } from 'vitest';
import { callTool, fakeTool, say } from '../../src/testing/index.ts';
import { engineUnderTest, resultIn } from './engine-under-test.ts';

describe('submitMessage', () => {
  it('ends in one result with the answer', async () => {
    const { run } = engineUnderTest([say('Hello.')]);
    const messages = await run('Hi.');
    expect(messages.map((m) => m.type)).toEqual(['system', 'assistant', 'result']);
    expect(resultIn(messages)).toMatchObject({ subtype: 'success', result: 'Hello.', num_turns: 1, stop_reason: 'end_turn', terminal_reason: 'completed' });
  });
  it('runs tools', async () => {
    const { run } = engineUnderTest([callTool('Look'), say('Done.')], { tools: [fakeTool({ name: 'Look' })] });
    const messages = await run('Hi.');
    expect(messages.map((m) => m.type)).toEqual(['system', 'assistant', 'user', 'assistant', 'result']);
    expect(resultIn(messages)).toMatchObject({ result: 'Done.', num_turns: 2 });
  });
});
