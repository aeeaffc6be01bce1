/** Whether a conversation holds anything that the recovery of refused media could take out. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { loopParams, userMessage } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { initialState } from '../../src/loop/query-loop.ts';
import { holdsMedia } from '../../src/loop/recovery/context-recovery.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';

const text = { type: 'text', text: 'See this.' };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '' } };
const result = (content: unknown) => ({ type: 'tool_result', tool_use_id: 't', content });

const holds = (...messages: readonly ViewMessage[]) =>
  holdsMedia({
    ...initialState(loopParams()),
    view: { messages: PersistentList.from(messages) },
  } as never);
const user = (content: unknown) => userMessage(content as never);

it.each([
  ['an image', [text, image], true],
  ['a document', [document], true],
  ['a result with an image behind its text', [result([text, image])], true],
  ['a result with an image before another', [result([image]), result('done')], true],
  ['results of text', [result([text, text]), result('done'), result(undefined)], false],
  ['an empty result', [result([])], false],
  ['text', [text], false],
  ['a prompt as it was typed', 'See this.', false],
])('%s: %j', (_, content, expected) => {
  expect(holds(user('First.'), user(content))).toBe(expected);
  expect(holds(user(content), user('Last.'))).toBe(expected);
});

it('what is rendered for the model counts, and what the model says does not', () => {
  const attachment = { type: 'attachment', uuid: 'a', timestamp: '', attachment: { type: 'file' } };
  expect(holds({ ...attachment, rendered: [image] } as never)).toBe(true);
  expect(holds({ ...attachment, rendered: [text] } as never)).toBe(false);
  const answer = { type: 'assistant', uuid: 'b', timestamp: '', message: { content: [image] } };
  expect(holds(answer as never)).toBe(false);
});
