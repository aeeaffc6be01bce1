import { calls, result, says, user, viewOf } from '@turnwright/test/model/conversation.ts';
import { describe, expect, it } from 'vitest';
import { located } from '../../src/model/request/locate-block.ts';
import { blockWording } from '../../src/model/retry/error-wordings.ts';
import type { ModelFailure } from '../../src/protocol/model/failure.ts';
import type { ImageBlock } from '../../src/protocol/model/wire.ts';

const image = (data: string): ImageBlock => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});
const failure = (message: number, content: number, inner?: number): ModelFailure => ({
  kind: 'media_too_large',
  message: 'refused',
  block: { message, content, ...(inner !== undefined && { inner }) },
});

describe('blockWording', () => {
  it.each([
    ['messages.3.content.1.image.source.base64.data: too large', { message: 3, content: 1 }],
    ['messages.0.content.2.tool_result.content.4.image: no', { message: 0, content: 2, inner: 4 }],
    ['messages.12.content.0.content.1: no', { message: 12, content: 0, inner: 1 }],
    ['messages.1: roles must alternate', undefined],
    ['max_tokens: 9 > 8', undefined],
  ])('%s', (text, expected) => {
    expect(blockWording(text)).toEqual(expected);
  });
});

describe('located', () => {
  const prompt = user([{ type: 'text', text: 'a' }, image('AAAA')]);
  const more = user([{ type: 'text', text: ' ' }, image('BBBB')]);
  const answered = result('t1', [{ type: 'text', text: '' }, { type: 'text', text: 'x' }, image('CCCC')]);
  const view = viewOf(prompt, more, calls('m1', 't1'), answered, says('m2', 'Seen.'), user('plain'));
  const place = (message: number, content: number, inner?: number) =>
    located(failure(message, content, inner), { view, userContext: ['Context.'] }, () => true).block?.at;

  it('F11: finds the block in the view that a place on the wire means', () => {
    // The context's own text goes first, and the two prompts are one message.
    expect(place(0, 0)).toBeUndefined();
    expect(place(0, 1)).toEqual({ uuid: prompt.uuid, index: 0 });
    expect(place(0, 2)).toEqual({ uuid: prompt.uuid, index: 1 });
    expect(place(0, 3)).toEqual({ uuid: more.uuid, index: 1 });
    expect(place(2, 0, 1)).toEqual({ uuid: answered.uuid, index: 0, inner: 2 });
    expect(place(4, 0)).toMatchObject({ index: 0 });
  });

  it('leaves a failure alone that names nothing of the user side', () => {
    expect(place(1, 0)).toBeUndefined();
    expect(place(99, 0)).toBeUndefined();
    const unnamed: ModelFailure = { kind: 'invalid_request', message: 'no' };
    expect(located(unnamed, { view }, () => true)).toBe(unnamed);
  });
});
