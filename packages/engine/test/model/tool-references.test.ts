/** Results that refer to tools, where an API knows no references: what they say in words is what is left. */

import { calls, user } from '@turnwright/test/model/conversation.ts';
import { expect, it } from 'vitest';
import { renderResultText, resultMedia } from '../../src/model/openai/parts.ts';
import { createNormaliser } from '../../src/model/request/normalise.ts';

const block = {
  type: 'tool_result',
  tool_use_id: 'c',
  content: [
    { type: 'text', text: 'Loaded: late.' },
    { type: 'tool_reference', tool_name: 'late' },
  ],
} as const;

it('other APIs get the words', () => {
  expect(renderResultText(block)).toBe('Loaded: late.');
  expect(resultMedia(block)).toEqual([]);
});

it('the Messages API gets references and the words behind them, or the words', () => {
  const open = (loadable?: ReadonlySet<string>) => {
    const normaliser = createNormaliser({ userContext: [], keepsThinking: () => true });
    for (const message of [user('Go.'), calls('m1', 'c'), user([block])]) normaliser.add(message, loadable);
    return (
      normaliser
        .open()
        .at(-1)
        ?.blocks.map((json) => JSON.parse(json)) ?? []
    );
  };
  expect(open(new Set(['late']))).toEqual([
    { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'tool_reference', tool_name: 'late' }] },
    { type: 'text', text: 'Loaded: late.' },
  ]);
  expect(open()).toEqual([{ ...block, content: [{ type: 'text', text: 'Loaded: late.' }] }]);
});
