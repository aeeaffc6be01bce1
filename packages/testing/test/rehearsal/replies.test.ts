import type { ThinkingBlock } from '@turnwright/engine/protocol/model/wire.ts';
import {
  assistant,
  errorOf,
  eventsOf,
  messageOf,
  READ_TOOL,
  raw,
  request,
  user,
} from '@turnwright/test/rehearsal/raw-http.ts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type RehearsalOptions,
  type RehearsalServer,
  reply,
  startRehearsal,
  text,
  thinking,
  toolUse,
} from '../../src/rehearsal/index.ts';

let server: RehearsalServer | undefined;
async function start(options: RehearsalOptions): Promise<string> {
  server = await startRehearsal(options);
  return server.url;
}
afterEach(() => server?.close());

describe('a reply on the wire (§4)', () => {
  const spoken = reply([
    thinking('let me see'),
    'I read it. 🙂 äöü',
    toolUse('Read', { file_path: 'a b.txt' }, 'toolu_1'),
    toolUse('Now'),
  ]);

  it('streams message_start, blocks with their deltas, message_delta, message_stop', async () => {
    const url = await start({ scenario: () => ({ ...spoken, timing: { deltaChars: 3 } }) });
    const answer = await raw(url, {
      path: '/v1/messages?beta=true',
      body: request('go', { stream: true, tools: [READ_TOOL] }),
    });
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const events = eventsOf(answer.text);
    expect(events[0]).toMatchObject({
      type: 'message_start',
      message: { role: 'assistant', content: [], stop_reason: null, usage: { output_tokens: 1 } },
    });
    expect(events.at(-1)).toEqual({ type: 'message_stop' });
    const delta = events.at(-2);
    expect(delta).toMatchObject({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
    });
    const starts = events.flatMap((event) =>
      event.type === 'content_block_start' ? [event.content_block.type] : [],
    );
    expect(starts).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
    const said = (index: number) =>
      events
        .flatMap((event) =>
          event.type === 'content_block_delta' && event.index === index ? [event.delta] : [],
        )
        .map((part) =>
          part.type === 'text_delta' ? part.text : part.type === 'input_json_delta' ? part.partial_json : '',
        )
        .join('');
    expect(said(1)).toBe('I read it. 🙂 äöü');
    expect(JSON.parse(said(2))).toEqual({ file_path: 'a b.txt' });
    expect(JSON.parse(said(3))).toEqual({});
    expect(events.filter((event) => event.type === 'content_block_stop')).toHaveLength(4);
  });

  it('says the same without a stream', async () => {
    const url = await start({ scenario: () => spoken });
    const message = messageOf(await raw(url, { body: request('go') }));
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'let me see' },
        { type: 'text' },
        { type: 'tool_use', id: 'toolu_1', input: { file_path: 'a b.txt' } },
        { type: 'tool_use', input: {} },
      ],
    });
    expect(message.usage.output_tokens).toBeGreaterThan(5);
  });

  it('a scripted null ends the answer without a stop reason, streamed or whole', async () => {
    const url = await start({ scenario: () => ({ blocks: [], stop_reason: null }) });
    expect(messageOf(await raw(url, { body: request('go') }))).toMatchObject({
      stop_reason: null,
      content: [],
    });
    const events = eventsOf((await raw(url, { body: request('go', { stream: true }) })).text);
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: null } });
  });

  it('stops at max_tokens, in the middle of a word or of a call', async () => {
    const url = await start({
      scenario: () => reply(['x'.repeat(400), toolUse('Read', { file_path: 'y'.repeat(400) })]),
    });
    const short = messageOf(await raw(url, { body: request('go', { max_tokens: 50 }) }));
    expect(short).toMatchObject({
      stop_reason: 'max_tokens',
      usage: { output_tokens: 50 },
      content: [{ type: 'text', text: 'x'.repeat(200) }],
    });
    const inCall = eventsOf(
      (await raw(url, { body: request('go', { max_tokens: 150, stream: true }) })).text,
    );
    const json = inCall
      .flatMap((event) =>
        event.type === 'content_block_delta' && event.delta.type === 'input_json_delta'
          ? [event.delta.partial_json]
          : [],
      )
      .join('');
    expect(json).toMatch(/^\{"file_path":"y+$/);
    expect(inCall.at(-2)).toMatchObject({
      delta: { stop_reason: 'max_tokens' },
      usage: { output_tokens: 150 },
    });
  });

  it('gives a repeated call an id of its own', async () => {
    const url = await start({ scenario: () => reply([toolUse('Read', {}, 'same')]) });
    const again = request([
      user('x'),
      assistant([{ type: 'tool_use', id: 'same', name: 'Read', input: {} }]),
      user([{ type: 'tool_result', tool_use_id: 'same' }]),
    ]);
    expect(messageOf(await raw(url, { body: again })).content).toMatchObject([{ id: 'same_2' }]);
  });
});

describe('thinking', () => {
  async function thought(url: string, rest: Record<string, unknown> = {}): Promise<ThinkingBlock> {
    const [block] = messageOf(await raw(url, { body: request('go', rest) })).content;
    return block as ThinkingBlock;
  }
  const sendBack = (block: unknown, rest: Record<string, unknown> = {}) =>
    request([user('go'), assistant([block, text('said')]), user('on')], rest);

  it('is signed, and verifies as it was', async () => {
    const url = await start({ scenario: () => reply([thinking('deep'), 'said']) });
    expect((await raw(url, { body: sendBack(await thought(url)) })).status).toBe(200);
  });

  it('does not verify when altered, or for another model', async () => {
    const url = await start({ scenario: () => reply([thinking('deep'), 'said']) });
    const block = await thought(url);
    const altered = await raw(url, { body: sendBack({ ...block, thinking: 'shallow' }) });
    expect(errorOf(altered).message).toBe('messages.1.content.0: Invalid `signature` in `thinking` block');
    const foreign = await raw(url, { body: sendBack(block, { model: 'claude-sonnet-5' }) });
    expect(errorOf(foreign).message).toBe('messages.1.content.0: Invalid `signature` in `thinking` block');
    const another = await thought(url, { model: 'claude-sonnet-5' });
    expect((await raw(url, { body: sendBack({ ...block, signature: another.signature }) })).status).toBe(400);
  });

  it('may be omitted from sight and still verifies', async () => {
    const url = await start({ scenario: () => reply([thinking('deep'), 'said']) });
    const block = await thought(url, { thinking: { type: 'adaptive', display: 'omitted' } });
    expect(block.thinking).toBe('');
    expect((await raw(url, { body: sendBack(block) })).status).toBe(200);
  });

  it('may be redacted', async () => {
    const url = await start({
      scenario: () => reply([{ type: 'redacted_thinking', data: 'secret' }, text('said')]),
    });
    const block = await thought(url);
    expect(block).toMatchObject({ type: 'redacted_thinking' });
    expect((await raw(url, { body: sendBack(block) })).status).toBe(200);
    expect((await raw(url, { body: sendBack(block, { model: 'claude-opus-5' }) })).status).toBe(400);
  });

  it('thinking-last: cannot be all that was said', async () => {
    const url = await start({ scenario: () => reply([thinking('deep'), 'said']) });
    const body = request([user('go'), assistant([await thought(url)]), user('on')]);
    expect(errorOf(await raw(url, { body })).message).toBe(
      'messages.1: The final block in an assistant message cannot be `thinking`.',
    );
  });

  it('is verified by another server too', async () => {
    const url = await start({ scenario: () => reply([thinking('deep'), 'said']) });
    const block = await thought(url);
    await server?.close();
    const second = await start({ scenario: () => reply('fine') });
    expect((await raw(second, { body: sendBack(block) })).status).toBe(200);
  });
});

describe('templates', () => {
  const history = request([
    user('x'),
    assistant([
      { type: 'tool_use', id: 't1', name: 'Read', input: {} },
      { type: 'tool_use', id: 't2', name: 'Read', input: {} },
    ]),
    user([
      { type: 'tool_result', tool_use_id: 't1', content: 'failed at line 42 of a.ts' },
      { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'second' }] },
    ]),
  ]);

  it('fill inputs and text from results and variables', async () => {
    const url = await start({
      scenario: {
        name: 'templated',
        vars: { root: '/tmp/x' },
        replies: [
          reply([
            '{{lastResult}}',
            toolUse('Edit', {
              path: '{{vars.root}}/{{results.t1 | /of (\\S+)/}}',
              lines: ['{{ results.t1 | /line \\d+/ }}'],
              n: 1,
            }),
          ]),
        ],
      },
    });
    expect(messageOf(await raw(url, { body: history })).content).toMatchObject([
      { text: 'second' },
      { input: { path: '/tmp/x/a.ts', lines: ['line 42'], n: 1 } },
    ]);
  });

  it.each([
    ['{{results.gone}}', /\{\{results\.gone\}\} names nothing/],
    ['{{lastResult | /never/}}', /matches nothing in "second"/],
  ])('%s is an error that says so', async (template, says) => {
    const url = await start({ scenario: () => reply(template) });
    const answer = await raw(url, { body: history });
    expect(answer.status).toBe(400);
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(errorOf(answer).message).toMatch(says);
  });
});
