import type { SDKUserMessage } from '@turnwright/engine';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { rehearse } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

const three: AsyncIterable<SDKUserMessage> = {
  async *[Symbol.asyncIterator]() {
    for (const text of ['one', 'two', 'three'])
      yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
  },
};

it('F132 three messages while busy are answered in the order they came, none twice', async () => {
  let sent = false;
  const run = await rehearse({
    prompt: 'zero',
    replies: [reply('0.'), reply('1.', { times: 'any' })],
    partial: true,
    onMessage: (message, { query }) => {
      if (sent || message.type !== 'assistant') return undefined;
      sent = true;
      return query.streamInput(three);
    },
  });
  const prompts = blocksOf(run.sent.at(-1), 'text').flatMap(({ text }) =>
    ['zero', 'one', 'two', 'three'].filter((word) => text?.split('\n').includes(word)),
  );
  expect(prompts).toEqual(['zero', 'one', 'two', 'three']);
  expect(run.results.every(({ is_error }) => !is_error)).toBe(true);
});
