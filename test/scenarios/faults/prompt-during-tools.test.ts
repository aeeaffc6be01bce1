import type { SDKUserMessage } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';

const steer: AsyncIterable<SDKUserMessage> = {
  async *[Symbol.asyncIterator]() {
    yield { type: 'user', message: { role: 'user', content: 'Rather B.' }, parent_tool_use_id: null };
  },
};

it('F133 steering while tools run: behind the whole batch, before the next request, never between call and result', async () => {
  let sent = false;
  const run = await rehearse({
    replies: [
      reply([
        toolUse('Bash', { command: 'sleep 0.1' }, 'call_1'),
        toolUse('Bash', { command: 'sleep 0.1' }, 'call_2'),
      ]),
      reply('B it is.'),
    ],
    onMessage: (message, { query }) => {
      if (sent || message.type !== 'assistant') return undefined;
      sent = true;
      return query.streamInput(steer);
    },
  });
  const [, answer, after] = run.sent[1]?.messages ?? [];
  expect(answer?.content.map(({ type }) => type)).toEqual(['tool_use', 'tool_use']);
  expect(after?.content.map(({ type, tool_use_id }) => tool_use_id ?? type)).toEqual([
    'call_1',
    'call_2',
    'text',
  ]);
  expect(after?.content.at(-1)?.text).toContain('Rather B.');
  expect(successOf(run).result).toBe('B it is.');
});
