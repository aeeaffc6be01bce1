/** Records as messages of the conversation: those of our journal, and those of other programs' transcripts. */
import { describe, expect, it } from 'vitest';
import { EMPTY_USAGE } from '../../src/protocol/model/wire.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import { messageOfRecord, promptText } from '../../src/session/journal/message-record.ts';

const TIMESTAMP = '2026-11-01T00:00:00.000Z';
const text = { type: 'text', text: 'Hello.' };
const note = { type: 'note', about: 'x' };
const messageOf = (v: number, record: object) =>
  messageOfRecord({ v, uuid: 'u1', timestamp: TIMESTAMP, ...record } as unknown as JournalEntry);
const foreign = (record: object) => messageOf(0, record);
const own = (record: object) => messageOf(1, { seq: 1, epoch: 1, ...record });

describe('a record of another program', () => {
  const stamp = { uuid: 'u1', timestamp: TIMESTAMP };

  it('is a prompt, with text or blocks, and says what it is beside that', () => {
    const message = { role: 'user', content: 'Hello.' };
    expect(foreign({ type: 'user', message })).toEqual({ ...stamp, type: 'user', message });
    const blocks = { role: 'user', content: [text] };
    expect(foreign({ type: 'user', message: blocks })).toEqual({ ...stamp, type: 'user', message: blocks });
    expect(foreign({ type: 'user', message, isMeta: true })).toEqual({
      ...stamp,
      type: 'user',
      message,
      isSynthetic: true,
    });
    expect(foreign({ type: 'user', message, isCompactSummary: true })).toEqual({
      ...stamp,
      type: 'user',
      message,
      isSynthetic: true,
      kind: 'summary',
    });
    expect(foreign({ type: 'user', message, toolUseResult: 0, sourceToolAssistantUUID: 'a1' })).toEqual({
      ...stamp,
      type: 'user',
      message,
      toolUseResult: 0,
      sourceAssistantUuid: 'a1',
    });
    expect(foreign({ type: 'user', message, sourceToolAssistantUUID: 7 })).toEqual({
      ...stamp,
      type: 'user',
      message,
    });
  });

  it('is an answer, whose gaps are filled', () => {
    expect(foreign({ type: 'assistant', message: { content: 'Hello.' } })).toEqual({
      ...stamp,
      type: 'assistant',
      message: {
        id: 'u1',
        type: 'message',
        role: 'assistant',
        model: 'unknown',
        content: [text],
        stop_reason: null,
        stop_sequence: null,
        usage: EMPTY_USAGE,
      },
    });
    const whole = {
      id: 'msg_1',
      model: 'claude-x',
      content: [text],
      stop_reason: 'stop_sequence',
      stop_sequence: '.',
      usage: { input_tokens: 3 },
    };
    expect(foreign({ type: 'assistant', message: whole, requestId: 'req_1' })).toEqual({
      ...stamp,
      type: 'assistant',
      message: {
        ...whole,
        type: 'message',
        role: 'assistant',
        usage: { ...EMPTY_USAGE, input_tokens: 3 },
      },
      requestId: 'req_1',
    });
  });

  it.each([
    ['by its mark', { isApiErrorMessage: true }, 'claude-x'],
    ['by its model', {}, '<synthetic>'],
  ])('is an error, %s', (_, more, model) => {
    const message = { id: 'm', model, content: [text] };
    expect(foreign({ type: 'assistant', message, ...more })).toMatchObject({
      synthetic: { error: 'unknown' },
    });
    expect(foreign({ type: 'assistant', message: { ...message, model: 'claude-x' } })).not.toHaveProperty(
      'synthetic',
    );
  });

  it('is an attachment, whose rendering may be text, blocks or nothing', () => {
    const attachment = { ...stamp, type: 'attachment', attachment: note };
    expect(foreign({ type: 'attachment', attachment: note, rendered: 'Hello.' })).toEqual({
      ...attachment,
      rendered: [text],
    });
    expect(foreign({ type: 'attachment', attachment: note, rendered: [text, 7] })).toEqual({
      ...attachment,
      rendered: [text],
    });
    for (const rendered of ['', undefined, 7])
      expect(foreign({ type: 'attachment', attachment: note, rendered })).toEqual({
        ...attachment,
        rendered: [],
      });
    expect(foreign({ type: 'attachment', attachment: { about: 'x' } })).toMatchObject({
      attachment: { type: 'unknown', about: 'x' },
    });
  });

  it.each([
    [{ type: 'user', message: { role: 'user', content: 7 } }],
    [{ type: 'user', message: 'Hello.' }],
    [{ type: 'user' }],
    [{ type: 'assistant' }],
    [{ type: 'assistant', message: { content: 7 } }],
    [{ type: 'attachment', attachment: 'note' }],
    [{ type: 'attachment' }],
    [{ type: 'summary', summary: 'Hello.' }],
    [{ type: 'user', message: { content: 'Hello.' }, uuid: 7 }],
  ])('is no message: %j', (record) => {
    expect(foreign(record)).toBeUndefined();
  });
});

describe('a record of our own', () => {
  it('keeps its message as it is, and repairs only blocks that no request can contain', () => {
    const message = { role: 'user', content: [text] };
    expect((own({ type: 'user', message }) as { readonly message: unknown }).message).toBe(message);
    const answer = {
      id: 'm',
      content: [
        text,
        'text',
        { type: 'text' },
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'thinking', signature: 's' },
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'tool_use', id: 't', name: 'Look' },
        { type: 'tool_use', id: 't' },
        { type: 'tool_use', name: 'Look' },
        { type: 'tool_use', id: 't', name: 'Look', input: { at: 1 } },
        { type: 'tool_result' },
        { type: 'tool_result', tool_use_id: 't' },
        { type: 7 },
        { type: 'server_tool_use' },
      ],
    };
    expect(own({ type: 'assistant', message: answer })).toMatchObject({
      message: {
        id: 'm',
        content: [
          text,
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'tool_use', id: 't', name: 'Look', input: {} },
          { type: 'tool_use', id: 't', name: 'Look', input: { at: 1 } },
          { type: 'tool_result', tool_use_id: 't' },
          { type: 'server_tool_use' },
        ],
      },
    });
  });

  it('is an attachment, rendered or not', () => {
    expect(own({ type: 'attachment', attachment: note, rendered: [text] })).toMatchObject({
      rendered: [text],
    });
    expect(own({ type: 'attachment', attachment: note })).toMatchObject({ rendered: [] });
    expect(own({ type: 'attachment', attachment: 'note' })).toBeUndefined();
  });

  it.each([
    [{ type: 'user', message: 'Hello.' }],
    [{ type: 'user', message: { content: 7 } }],
    [{ type: 'assistant', message: { content: 'Hello.' } }],
  ])('is no message: %j', (record) => {
    expect(own(record)).toBeUndefined();
  });
});

it('a prompt has a text; results of tools and what the engine said have none', () => {
  const prompt = (content: unknown, more: object = {}) =>
    promptText({
      type: 'user',
      uuid: 'u',
      timestamp: '',
      message: { role: 'user', content },
      ...more,
    } as never);
  expect(prompt('Hello.')).toBe('Hello.');
  expect(prompt([text])).toBe('Hello.');
  expect(prompt([{ type: 'tool_result', tool_use_id: 't', content: 'x' }, text])).toBeUndefined();
  expect(prompt('Hello.', { isSynthetic: true })).toBeUndefined();
});
