import { connect } from 'node:net';
import { systemClock } from '@turnwright/base/clock.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import { errorOf, messageOf, raw, request } from '@turnwright/test/rehearsal/raw-http.ts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type RehearsalServer,
  reply,
  startRehearsal,
  type TimelineEvent,
  toolUse,
} from '../../src/rehearsal/index.ts';

let server: RehearsalServer | undefined;
afterEach(() => server?.close());

describe('endpoints', () => {
  it('HEAD /, models, a model, what is not there', async () => {
    server = await startRehearsal({ windows: { 'claude-x': 20_000 } });
    const get = (path: string, method = 'GET') => raw(server?.url ?? '', { path, method });
    expect(await get('/', 'HEAD')).toMatchObject({ status: 200, text: '' });
    const models = JSON.parse((await get('/v1/models?limit=1000')).text);
    expect(models).toMatchObject({ has_more: false, first_id: 'claude-fable-5-2', last_id: 'claude-x' });
    expect(models.data.find((model: { id: string }) => model.id === 'claude-opus-5-5')).toMatchObject({
      type: 'model',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
    });
    expect(JSON.parse((await get('/v1/models/claude-x')).text)).toMatchObject({ max_input_tokens: 20_000 });
    expect((await get('/v1/models/claude-y')).status).toBe(404);
    expect((await get('/v2')).status).toBe(404);
    expect((await get('/v1/messages')).status).toBe(405);
  });

  it('count_tokens judges too, but knows no max_tokens', async () => {
    server = await startRehearsal();
    const count = (body: unknown) => raw(server?.url ?? '', { path: '/v1/messages/count_tokens', body });
    const { max_tokens: _none, ...body } = request('x'.repeat(40));
    expect(JSON.parse((await count(body)).text)).toEqual({ input_tokens: 13 });
    expect(errorOf(await count(request('x'))).message).toBe('max_tokens: Extra inputs are not permitted');
    expect((await count({ ...body, messages: [] })).status).toBe(400);
  });

  it('takes one key, as x-api-key or as bearer token, when one is set', async () => {
    server = await startRehearsal({ apiKey: 'right', scenario: () => reply('x') });
    const ask = (headers: Record<string, string | undefined>) =>
      raw(server?.url ?? '', { body: request('x'), headers });
    expect((await ask({ 'x-api-key': 'right' })).status).toBe(200);
    expect((await ask({ 'x-api-key': undefined, authorization: 'Bearer right' })).status).toBe(200);
    expect(errorOf(await ask({ 'x-api-key': 'wrong' }))).toEqual({
      type: 'authentication_error',
      message: 'invalid x-api-key',
    });
    expect(errorOf(await ask({ 'x-api-key': undefined, authorization: 'Bearer wrong' })).message).toBe(
      'Invalid bearer token',
    );
  });

  it('listens on the given port, and reports when it cannot', async () => {
    // Below the ports that the system hands out, of which another test may get one at any time.
    const port = 20_000 + (process.pid % 10_000);
    server = await startRehearsal({ port });
    expect(server.url).toBe(`http://127.0.0.1:${port}`);
    await expect(startRehearsal({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await server.close();
    server = await startRehearsal({ port });
    expect(server.url).toBe(`http://127.0.0.1:${port}`);
  });
});

describe('what it records', () => {
  it('requests with body, headers, arrival, session and verdict', async () => {
    server = await startRehearsal({ scenario: () => reply('x') });
    await raw(server.url, {
      path: '/v1/messages?beta=true',
      body: request('hello'),
      headers: { 'x-mine': '1' },
    });
    expect(server.requests[0]).toMatchObject({
      number: 1,
      method: 'POST',
      path: '/v1/messages',
      query: 'beta=true',
      headers: { 'x-mine': '1' },
      body: { messages: [{ content: 'hello' }] },
      session: 'key:test-key',
      kind: 'main',
      verdict: { kind: 'answered', faults: [], usage: { output_tokens: 1 } },
    });
    server.clear();
    expect(server.requests).toEqual([]);
    expect(server.timeline).toEqual([]);
  });

  it('a timeline that shows when each block was on the wire', async () => {
    const events: TimelineEvent[] = [];
    server = await startRehearsal({
      scenario: () => reply(['x', toolUse('Read', {}, 'toolu_9')]),
      onEvent: (event) => events.push(event),
    });
    await raw(server.url, { body: request('go', { stream: true }) });
    expect(events).toEqual(server.timeline);
    expect(events.map((event) => event.kind)).toEqual([
      'request_arrived',
      'headers_sent',
      'first_byte',
      'block_started',
      'block_stopped',
      'block_started',
      'block_stopped',
      'last_byte',
    ]);
    expect(events[5]).toMatchObject({ request: 1, index: 1, block: 'tool_use', toolUseId: 'toolu_9' });
    expect(events.map((event) => event.atMs)).toEqual(
      events.map((event) => event.atMs).toSorted((a, b) => a - b),
    );
  });

  it('that a client left in the middle', async () => {
    server = await startRehearsal({ scenario: () => reply('x', { timing: { ttftMs: 60_000 } }) });
    const leave = new AbortController();
    const asked = raw(server.url, { body: request('go', { stream: true }), signal: leave.signal });
    await expect.poll(() => server?.timeline.some((event) => event.kind === 'headers_sent')).toBe(true);
    leave.abort();
    await asked;
    await expect.poll(() => server?.timeline.at(-1)?.kind).toBe('socket_closed');
  });
});

describe('a client that does not wait', () => {
  it('is noted when the scenario answers too late', async () => {
    let answerNow = () => {};
    const asked = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    const leave = new AbortController();
    server = await startRehearsal({
      async scenario() {
        leave.abort();
        await asked;
        return reply('too late', { faults: ['stall'] });
      },
    });
    await raw(server.url, { body: request('go', { stream: true }), signal: leave.signal });
    // The next answer on another connection proves that the server has seen the first one end.
    await raw(server.url, { path: '/v1/models', method: 'GET' });
    answerNow();
    await expect.poll(() => server?.timeline.some((event) => event.kind === 'socket_closed')).toBe(true);
  });
});

describe('timing', () => {
  function keepingClock(): Clock & { readonly slept: number[] } {
    const slept: number[] = [];
    return { ...systemClock, slept, sleep: async (ms) => void slept.push(ms) };
  }

  it('waits where the timing says so, and nowhere else', async () => {
    const clock = keepingClock();
    server = await startRehearsal({
      clock,
      scenario: () =>
        reply(['abcdef', 'gh'], {
          timing: { headersMs: 5, ttftMs: 100, gapMs: 10, blockPauseMs: 50, deltaChars: 3 },
        }),
    });
    await raw(server.url, { body: request('go', { stream: true }) });
    expect(clock.slept).toEqual([5, 100, 10, 10, 50, 10, 50]);
  });

  it('sets no timer when nothing waits', async () => {
    const clock = keepingClock();
    server = await startRehearsal({ clock, scenario: () => reply('x') });
    await raw(server.url, { body: request('go', { stream: true }) });
    expect(clock.slept).toEqual([]);
  });

  it('pings while it pauses', async () => {
    const clock = keepingClock();
    server = await startRehearsal({
      clock,
      scenario: () => reply('x', { timing: { ttftMs: 70, pings: 20 } }),
    });
    const answer = await raw(server.url, { body: request('go', { stream: true }) });
    expect(answer.text.split('event: ping')).toHaveLength(4);
    expect(clock.slept).toEqual([20, 20, 20, 10]);
  });
});

describe('many at once (F126)', () => {
  it('fifty sessions do not mix', async () => {
    server = await startRehearsal({
      scenario: { name: 's', replies: [reply('{{vars.n}} one'), reply('two')], vars: { n: '0' } },
    });
    const session = async (n: number) => {
      const ask = () =>
        raw(server?.url ?? '', {
          body: request(`prompt ${n}`, { stream: n % 2 === 0 }),
          headers: { 'x-api-key': `key-${n}` },
        });
      return [(await ask()).text.includes('0 one'), (await ask()).text.includes('two'), (await ask()).status];
    };
    const heard = await Promise.all(Array.from({ length: 50 }, (_, n) => session(n)));
    expect(heard).toEqual(Array.from({ length: 50 }, () => [true, true, 400]));
    const ids = new Set(server.requests.map(({ session: key }) => key));
    expect(ids.size).toBe(50);
  });

  it('gives every message an id of its own', async () => {
    server = await startRehearsal({ scenario: () => reply('x') });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => raw(server?.url ?? '', { body: request('x') })),
    );
    expect(new Set(answers.map((answer) => messageOf(answer).id)).size).toBe(20);
  });
});

describe('close', () => {
  it('kills what is open: a stalled answer, an idle socket, half a request', async () => {
    const stalled = await startRehearsal({ scenario: () => reply('x', { faults: ['stall'] }) });
    const { port } = new URL(stalled.url);
    const half = connect(Number(port), '127.0.0.1');
    const ended = new Promise((resolve) => half.on('close', resolve));
    half.on('error', () => {});
    half.write('POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"mod');
    const asked = raw(stalled.url, { body: request('go', { stream: true }) });
    await expect.poll(() => stalled.timeline.filter((event) => event.kind === 'fault').length).toBe(1);
    await stalled.close();
    expect((await asked).broken).toBeDefined();
    await ended;
    await expect(raw(stalled.url, { body: request('x') })).resolves.toMatchObject({
      status: 0,
      broken: expect.stringMatching(/^ECONN(REFUSED|RESET)$/),
    });
  });

  it('may be called twice', async () => {
    const once = await startRehearsal();
    await once.close();
    await once.close();
  });
});
