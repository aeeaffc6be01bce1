import { systemClock } from '@turnwright/base/clock.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import { assistant, messageOf, READ_TOOL, raw, request, user } from '@turnwright/test/rehearsal/raw-http.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type RehearsalOptions,
  type RehearsalServer,
  reply,
  startRehearsal,
} from '../../src/rehearsal/index.ts';

const marked = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
/** 1 000 tokens. */
const LONG = 'word'.repeat(1000);
const block = (text: string, more: object = {}) => ({ type: 'text', text, ...more });
const MINUTE = 60_000;

let now = 1_000_000;
let server: RehearsalServer | undefined;

const clock: Clock = { ...systemClock, nowMs: () => now };
async function start(options: RehearsalOptions = {}): Promise<RehearsalServer> {
  server = await startRehearsal({ scenario: () => reply('four'), clock, ...options });
  return server;
}
beforeEach(() => {
  now = 1_000_000;
});
afterEach(() => server?.close());

async function usage(body: unknown, headers: Record<string, string> = {}) {
  const answer = await raw(server?.url ?? '', { body, headers });
  const { usage: found } = messageOf(answer);
  return {
    fresh: found.input_tokens,
    read: found.cache_read_input_tokens,
    written: found.cache_creation_input_tokens,
    detail: found.cache_creation,
  };
}

describe('honest usage', () => {
  it('counts what was sent, the same as count_tokens says', async () => {
    await start();
    const body = request([user('x'.repeat(400)), assistant('y'), user([block('z')])], {
      system: 's'.repeat(40),
      tools: [READ_TOOL],
    });
    const { max_tokens: _none, ...counted } = body;
    const count = await raw(server?.url ?? '', { path: '/v1/messages/count_tokens', body: counted });
    const found = await usage(body);
    expect(JSON.parse(count.text)).toEqual({ input_tokens: found.fresh });
    expect(found).toMatchObject({ read: 0, written: 0 });
    expect(found.fresh).toBeGreaterThan(110 + 10);
  });

  it('lets a reply lay its own figures over it', async () => {
    await start({ scenario: () => reply('x', { usage: { input_tokens: 177_000 } }) });
    expect(await usage(request('x'))).toMatchObject({ fresh: 177_000 });
  });
});

describe('prompt-cache accounting', () => {
  const first = [user([block(LONG, marked)])];
  const second = [user([block(LONG)]), assistant('a'), user([block('next', marked)])];

  it('writes at the breakpoint and reads it back when the breakpoint has moved on', async () => {
    await start();
    expect(await usage(request(first))).toMatchObject({ fresh: 0, read: 0, written: 1003 });
    expect(await usage(request(second))).toMatchObject({ fresh: 0, read: 1003, written: 8 });
    expect(await usage(request(second))).toMatchObject({ fresh: 0, read: 1011, written: 0 });
  });

  it('counts tokens behind the last breakpoint as fresh', async () => {
    await start();
    await usage(request(first));
    expect(await usage(request([user([block(LONG, marked), block('tail')])]))).toMatchObject({
      fresh: 1,
      read: 1003,
      written: 0,
    });
  });

  it('reads nothing when one byte of the prefix changed', async () => {
    await start();
    await usage(request(first));
    expect(await usage(request([user([block(`${LONG.slice(0, -1)}!`, marked)])]))).toMatchObject({
      read: 0,
      written: 1003,
    });
  });

  it('caches nothing below the model’s minimum', async () => {
    await start();
    const short = [user([block('word'.repeat(500), marked)])];
    expect(await usage(request(short))).toMatchObject({ fresh: 503, read: 0, written: 0 });
    expect(await usage(request(first, { model: 'claude-haiku-4-5' }))).toMatchObject({
      fresh: 1003,
      written: 0,
    });
  });

  it('looks back 20 blocks and no further', async () => {
    await start();
    await usage(request(first));
    const blocks = (count: number) =>
      Array.from({ length: count }, (_, n) => block(`b${n}`, n === count - 1 ? marked : {}));
    expect(await usage(request([user([block(LONG), ...blocks(19)])]))).toMatchObject({ read: 1003 });
    server && (await server.close());
    await start();
    await usage(request(first));
    expect(await usage(request([user([block(LONG), ...blocks(20)])]))).toMatchObject({
      read: 0,
      written: 1023,
    });
  });

  it('keeps an entry five minutes from its last use, or an hour', async () => {
    await start();
    await usage(request(first));
    now += 4 * MINUTE;
    expect(await usage(request(first))).toMatchObject({ read: 1003 });
    now += 4 * MINUTE;
    expect(await usage(request(first))).toMatchObject({ read: 1003 });
    now += 5 * MINUTE + 1;
    expect(await usage(request(first))).toMatchObject({ read: 0, written: 1003 });
    const long = [user([block(LONG, hour)])];
    await usage(request(long, { system: 'other' }));
    now += 59 * MINUTE;
    expect(await usage(request(long, { system: 'other' }))).toMatchObject({ read: 1005 });
  });

  it('tells five-minute and one-hour writes apart', async () => {
    await start();
    const found = await usage(request([user([block(LONG, marked)])], { system: [block(LONG, hour)] }));
    expect(found.detail).toEqual({ ephemeral_1h_input_tokens: 1000, ephemeral_5m_input_tokens: 1003 });
  });

  it('keeps models and keys apart', async () => {
    await start();
    await usage(request(first));
    expect(await usage(request(first), { 'x-api-key': 'other' })).toMatchObject({ read: 0 });
    expect(await usage(request(first, { model: 'claude-opus-5' }))).toMatchObject({ read: 0 });
  });

  it('loses the messages, not tools and system, when thinking changes', async () => {
    await start();
    const body = (thinking: object) =>
      request(first, { system: [block(LONG, marked)], tools: [READ_TOOL], ...thinking });
    await usage(body({}));
    const found = await usage(body({ thinking: { type: 'adaptive' } }));
    expect(found.read).toBeGreaterThan(1000);
    expect(found.read).toBeLessThan(1100);
    expect(found.written).toBe(1003);
  });

  it('moves no prefix with a breakpoint inside a tool result', async () => {
    await start();
    const rounds = (more: object) => [
      user('x'),
      assistant([{ type: 'tool_use', id: 'a', name: 'Read', input: {} }]),
      user([{ type: 'tool_result', tool_use_id: 'a', content: [block(LONG, more)] }]),
    ];
    const { written } = await usage(request(rounds(marked)));
    const found = await usage(request([...rounds({}), assistant('y'), user([block('z', marked)])]));
    expect(found.read).toBe(written);
  });

  it('takes a breakpoint for the whole request', async () => {
    await start();
    const body = request([user(LONG)], { cache_control: { type: 'ephemeral' } });
    expect(await usage(body)).toMatchObject({ written: 1003, fresh: 0 });
    expect(await usage(body)).toMatchObject({ read: 1003, fresh: 0 });
  });

  it('writes nothing for an answer that never began', async () => {
    let calls = 0;
    await start({
      scenario: () => {
        calls += 1;
        return reply('x', calls === 1 ? { faults: ['http-status'] } : {});
      },
    });
    expect((await raw(server?.url ?? '', { body: request(first) })).status).toBe(529);
    expect(await usage(request(first))).toMatchObject({ read: 0, written: 1003 });
  });

  it('extending an unanswered user message keeps its prefix (L3)', async () => {
    await start();
    await usage(request(first));
    expect(await usage(request([user([block(LONG), block('more', marked)])]))).toMatchObject({
      read: 1003,
      written: 1,
    });
  });
});

describe('context_management', () => {
  const beta = { 'anthropic-beta': 'context-management-2025-06-27' };
  const rounds = Array.from({ length: 5 }, (_, n) => [
    assistant([{ type: 'tool_use', id: `t${n}`, name: n === 0 ? 'Keep' : 'Read', input: {} }]),
    user([{ type: 'tool_result', tool_use_id: `t${n}`, content: LONG }]),
  ]).flat();
  const edit = (more: object = {}) => ({
    context_management: {
      edits: [
        {
          type: 'clear_tool_uses_20250919',
          trigger: { type: 'input_tokens', value: 3000 },
          keep: { type: 'tool_uses', value: 2 },
          ...more,
        },
      ],
    },
  });

  it('clears old tool results and says how much', async () => {
    await start();
    const plain = await usage(request([user('x'), ...rounds]));
    const answer = await raw(server?.url ?? '', {
      body: request([user('x'), ...rounds], edit()),
      headers: beta,
    });
    const message = messageOf(answer);
    const [applied] = (
      message.context_management as {
        applied_edits: { cleared_tool_uses: number; cleared_input_tokens: number }[];
      }
    ).applied_edits;
    expect(applied).toMatchObject({ type: 'clear_tool_uses_20250919', cleared_tool_uses: 3 });
    expect(message.usage.input_tokens).toBe(plain.fresh - (applied?.cleared_input_tokens ?? 0));
  });

  it('says so in message_delta of a stream, and in count_tokens', async () => {
    await start();
    const streamed = await raw(server?.url ?? '', {
      body: request([user('x'), ...rounds], { ...edit(), stream: true }),
      headers: beta,
    });
    expect(streamed.text).toMatch(
      /"type":"message_delta".*"applied_edits":\[\{"type":"clear_tool_uses_20250919"/,
    );
    const { max_tokens: _none, ...counted } = request([user('x'), ...rounds], edit());
    const count = JSON.parse(
      (await raw(server?.url ?? '', { path: '/v1/messages/count_tokens', body: counted, headers: beta }))
        .text,
    );
    expect(count.context_management.original_input_tokens).toBeGreaterThan(count.input_tokens);
  });

  it('respects excluded tools, the trigger and the least amount', async () => {
    await start();
    const applied = async (more: object) => {
      const answer = await raw(server?.url ?? '', {
        body: request([user('x'), ...rounds], edit(more)),
        headers: beta,
      });
      return (messageOf(answer).context_management as { applied_edits: { cleared_tool_uses: number }[] })
        .applied_edits;
    };
    expect(await applied({ exclude_tools: ['Keep'] })).toMatchObject([{ cleared_tool_uses: 2 }]);
    expect(await applied({ trigger: { type: 'input_tokens', value: 50_000 } })).toEqual([]);
    expect(await applied({ trigger: { type: 'tool_uses', value: 4 } })).toMatchObject([
      { cleared_tool_uses: 3 },
    ]);
    expect(await applied({ clear_at_least: { type: 'input_tokens', value: 9000 } })).toEqual([]);
  });

  it('makes room: a prompt over the window fits once it is cleared', async () => {
    await start({ windows: { 'claude-small': 4500 } });
    const body = request([user('x'), ...rounds], { model: 'claude-small', max_tokens: 100 });
    expect((await raw(server?.url ?? '', { body })).text).toContain('prompt is too long');
    expect((await raw(server?.url ?? '', { body: { ...body, ...edit() }, headers: beta })).status).toBe(200);
  });
});

describe('what the vendor says invalidates, and what does not', () => {
  const tool = (name: string, more: object = {}) => ({ ...READ_TOOL, name, ...more });
  const system = [block(LONG, marked)];
  const searched = (result: unknown) => [
    user([block(LONG)]),
    assistant([{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'x' } }]),
    user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: result, ...marked }]),
  ];
  const loads = searched([{ type: 'tool_reference', tool_name: 'late' }]);

  it('keeps deferred tools out of the prefix, and counts them where they are loaded', async () => {
    await start();
    const late = tool('late', { defer_loading: true, description: 'd'.repeat(4000) });
    const eager = [tool('Read')];
    const without = await usage(request([user([block(LONG, marked)])], { system, tools: eager }));
    server?.clear();
    const deferred = [...eager, late];
    const first = await usage(request([user([block(LONG, marked)])], { system, tools: deferred }));
    expect(first.written).toBe(without.written);
    const then = await usage(request(loads, { system, tools: deferred }));
    expect(then).toMatchObject({ read: first.written, fresh: 0 });
    expect(then.written).toBeGreaterThan(1000);
    const again = [...loads, assistant('a'), user([block('b', marked)])];
    expect((await usage(request(again, { system, tools: deferred }))).read).toBe(then.read + then.written);
  });

  it('a further deferred tool costs nothing, the first of all costs the prefix', async () => {
    await start();
    const ask = (tools: readonly object[]) =>
      usage(request([user([block(LONG, marked)])], { system, tools }));
    const deferred = tool('late', { defer_loading: true });
    const { written } = await ask([tool('Read')]);
    expect((await ask([tool('Read'), deferred])).read).toBe(0);
    expect((await ask([tool('Read'), deferred, tool('later', { defer_loading: true })])).read).toBe(written);
    expect((await ask([tool('Read'), tool('eager'), deferred])).read).toBe(0);
  });

  it('effort of the request costs the messages, effort in the conversation nothing', async () => {
    await start();
    const messages = [user([block(LONG, marked)])];
    const effort = (level: string) => ({ system, output_config: { effort: level } });
    const { written } = await usage(request(messages, effort('high')));
    const changed = await usage(request(messages, effort('low')));
    expect(changed).toMatchObject({ read: 1000 });
    const inside = [...messages, assistant('a'), user([block('b', marked)])];
    const directive = { role: 'system', content: [], output_config: { effort: 'low' } };
    const beta = { 'anthropic-beta': 'mid-conversation-output-config-2026-07-01' };
    const said = await usage(request([...inside, directive], effort('high')), beta);
    expect(said.read).toBe(written);
    const on = [...inside, directive, assistant('c'), user([block('d', marked)])];
    expect((await usage(request(on, effort('high')), beta)).read).toBe(said.read + said.written);
  });

  it('speed costs all but the tools', async () => {
    await start();
    const body = { system, tools: [tool('Read', { ...marked, description: LONG })] };
    const messages = [user([block(LONG, marked)])];
    const { written } = await usage(request(messages, body));
    const fast = await usage(request(messages, { ...body, speed: 'fast' }), {
      'anthropic-beta': 'fast-mode-2026-02-01',
    });
    expect(fast.read).toBeLessThan(written - 2000);
    expect(fast.read).toBeGreaterThan(0);
  });
});
