/** What streams of real servers become. */
import { describe, expect, it } from 'vitest';
import { toUsage } from '../../../src/model/ai-sdk/part-decoder.ts';
import { createChatDecoder } from '../../../src/model/openai/chat-decoder.ts';
import { usageIn } from '../../../src/model/openai/read-usage.ts';
import type { StreamEvent } from '../../../src/protocol/model/wire.ts';
import { CHAT_STREAMS } from './fixtures/chat-streams.ts';

const HEAD = { status: 200, headers: {} };

function decoded(data: readonly string[]) {
  const decoder = createChatDecoder({ head: HEAD, origin: 'test', requestBytes: 700 });
  const events: StreamEvent[] = [];
  const failure = decoder.decode(data, events);
  decoder.end?.(events);
  return { decoder, events, failure };
}

/** The blocks with their content; the order of events is checked on the way. */
function blocksOf(events: readonly StreamEvent[]) {
  const blocks: { type: string; id?: string; name?: string; text: string }[] = [];
  let open = false;
  for (const event of events) {
    if (event.type === 'content_block_start') {
      expect(open).toBe(false);
      expect(event.index).toBe(blocks.length);
      open = true;
      const { type, id, name } = event.content_block as { type: string; id?: string; name?: string };
      blocks.push({ type, text: '', ...(id !== undefined && { id }), ...(name !== undefined && { name }) });
    } else if (event.type === 'content_block_delta') {
      const block = blocks[event.index];
      const { delta } = event;
      if (block === undefined) throw new Error('A delta without a block.');
      if (delta.type === 'text_delta') block.text += delta.text;
      if (delta.type === 'thinking_delta') block.text += delta.thinking;
      if (delta.type === 'input_json_delta') block.text += delta.partial_json;
    } else if (event.type === 'content_block_stop') open = false;
  }
  return blocks;
}

describe('a recorded stream (F115)', () => {
  it.each(CHAT_STREAMS)('$server', ({ data, answer }) => {
    const { decoder, events, failure } = decoded(data);
    expect(failure).toBeUndefined();
    expect(decoder.stopped).toBe(true);
    const blocks = blocksOf(events);
    const textOf = (type: string) =>
      blocks
        .filter((block) => block.type === type)
        .map(({ text }) => text)
        .join('') || undefined;
    expect(textOf('text')).toBe(answer.text);
    expect(textOf('thinking')).toBe(answer.thinking);
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    expect(
      calls.map(({ name, text }) => ({ name, input: JSON.parse(text === '' ? '{}' : text) as unknown })),
    ).toEqual((answer.calls ?? []).map(({ name, input }) => ({ name, input })));
    for (const [at, { id }] of (answer.calls ?? []).entries())
      if (id !== undefined) expect(calls[at]?.id).toBe(id);
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: answer.stop } });
    const { usage } = decoder;
    if (answer.usage === 'estimated') {
      expect(usage).toMatchObject({ estimated: true, input_tokens: 200 });
      expect(usage?.output_tokens).toBeGreaterThanOrEqual(0);
    } else {
      const [input_tokens, cache_read_input_tokens, output_tokens] = answer.usage;
      expect(usage).toMatchObject({ input_tokens, cache_read_input_tokens, output_tokens });
      expect(usage).not.toHaveProperty('estimated');
    }
  });

  it('is incomplete without a reason for its end, even if nothing else is missing', () => {
    const { decoder } = decoded(CHAT_STREAMS[6]?.data.slice(0, 2) ?? []);
    expect([decoder.started, decoder.stopped]).toEqual([true, false]);
  });

  it('that reports an error fails with the kind of the error', () => {
    const errors = [
      [{ code: 502, message: 'Provider returned error' }, 'stream_error'],
      [{ code: 429, message: 'Rate limited upstream' }, 'rate_limited'],
      [{ code: 'server_is_overloaded', type: 'server_error', message: 'Busy' }, 'overloaded'],
      [
        { code: 'context_length_exceeded', type: 'invalid_request_error', message: 'Long' },
        'prompt_too_long',
      ],
    ] as const;
    for (const [error, kind] of errors)
      expect(decoded([JSON.stringify({ id: 'x', error })]).failure).toMatchObject({ kind });
  });

  it('of another API is named, and not asked for again', () => {
    const messages = JSON.stringify({ type: 'message_start', message: {} });
    expect(decoded([messages]).failure).toMatchObject({
      kind: 'protocol',
      shouldRetry: false,
      message: expect.stringContaining('POST /v1/messages'),
    });
  });
});

describe('F108: usage of providers that count differently has the same figures', () => {
  const same = {
    input_tokens: 10,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 30,
    output_tokens: 20,
  };
  it.each([
    [
      'cached tokens inside the prompt',
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
    ],
    [
      'cached tokens beside the prompt, in the total',
      {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 120,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 30,
      },
    ],
    [
      'more cached tokens than prompt tokens, without a total',
      {
        input_tokens: 10,
        output_tokens: 20,
        input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
    ],
    [
      'reasoning beside the output, in the total',
      {
        prompt_tokens: 100,
        completion_tokens: 15,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    ],
  ])('%s', (_, usage) => {
    expect(usageIn(usage)).toMatchObject(same);
  });

  it.each([
    [
      'V3 of the AI SDK',
      {
        inputTokens: { total: 100, noCache: 10, cacheRead: 60, cacheWrite: 30 },
        outputTokens: { total: 20, text: 20, reasoning: 0 },
      },
      false,
      same,
    ],
    [
      'V2 with the cache inside',
      { inputTokens: 70, outputTokens: 20, totalTokens: 90, cachedInputTokens: 60 },
      false,
      { ...same, cache_creation_input_tokens: 0 },
    ],
    [
      'V2 with the cache beside',
      { inputTokens: 10, outputTokens: 20, totalTokens: 30, cachedInputTokens: 60 },
      true,
      { ...same, cache_creation_input_tokens: 0 },
    ],
  ])('%s', (_, usage, apart, expected) => {
    expect(toUsage(usage, apart)).toMatchObject(expected);
  });
});
