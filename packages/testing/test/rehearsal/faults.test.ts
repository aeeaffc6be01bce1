import { systemClock } from '@turnwright/base/clock.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import {
  errorOf,
  eventsOf,
  messageOf,
  type RawAnswer,
  raw,
  request,
} from '@turnwright/test/rehearsal/raw-http.ts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  FAULT_NAMES,
  type Fault,
  type FaultName,
  type RehearsalServer,
  reply,
  SURVIVABLE_FAULTS,
  startRehearsal,
  thinking,
  toolUse,
} from '../../src/rehearsal/index.ts';

let server: RehearsalServer | undefined;
afterEach(() => server?.close());

/** Sleeps take no time; what was asked for is kept. */
function impatientClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    ...systemClock,
    slept,
    sleep: async (ms) => {
      slept.push(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const SPOKEN = reply([
  thinking('hm'),
  'Grüße 🙂, wörtlich',
  toolUse('Read', { file_path: 'a'.repeat(200) }, 'toolu_1'),
]);
const EVENT_FAULTS: readonly FaultName[] = [
  'crlf',
  'out-of-order',
  'duplicate-event',
  'unknown-event',
  'unknown-block',
];
const ask = (stream = true) => request('go', { stream });

async function struck(fault: Fault, options: { stream?: boolean; clock?: Clock } = {}): Promise<RawAnswer> {
  await server?.close();
  server = await startRehearsal({
    scenario: () => ({ ...SPOKEN, faults: [fault] }),
    ...(options.clock && { clock: options.clock }),
  });
  const answer = await raw(server.url, { body: ask(options.stream ?? true) });
  // A JSON answer has no events to spoil.
  const spared = options.stream === false && EVENT_FAULTS.includes(fault.name);
  const noted = server.timeline.some((event) => event.kind === 'fault' && event.fault === fault.name);
  expect(noted).toBe(!spared);
  return answer;
}

async function whole(stream = true): Promise<RawAnswer> {
  const clean = await startRehearsal({ scenario: () => SPOKEN });
  const answer = await raw(clean.url, { body: ask(stream) });
  await clean.close();
  return answer;
}

const frames = (text: string) => text.split('\n\n').filter((frame) => frame !== '');

describe('faults by name', () => {
  it('http-status: 529 with whatever headers', async () => {
    const plain = await struck({ name: 'http-status' });
    expect(plain.status).toBe(529);
    expect(errorOf(plain)).toEqual({ type: 'overloaded_error', message: 'Overloaded' });
    const limited = await struck({
      name: 'http-status',
      status: 429,
      retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT',
      shouldRetry: false,
      headers: { 'x-more': '1' },
    });
    expect(limited).toMatchObject({
      status: 429,
      headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT', 'x-should-retry': 'false', 'x-more': '1' },
    });
    expect(errorOf(limited).type).toBe('rate_limit_error');
    const own = await struck({
      name: 'http-status',
      status: 403,
      type: 'permission_error',
      message: 'OAuth token has been revoked',
    });
    expect(errorOf(own)).toEqual({ type: 'permission_error', message: 'OAuth token has been revoked' });
  });

  it('html-error-page', async () => {
    const answer = await struck({ name: 'html-error-page' });
    expect(answer).toMatchObject({ status: 502, headers: { 'content-type': 'text/html' } });
    expect(answer.text).toContain('<h1>502 Bad Gateway</h1>');
  });

  it('wrong-content-type', async () => {
    const answer = await struck({ name: 'wrong-content-type' });
    expect(answer.headers['content-type']).toBe('text/plain');
    expect(eventsOf(answer.text).at(-1)).toEqual({ type: 'message_stop' });
  });

  it('empty-body', async () => {
    expect(await struck({ name: 'empty-body' })).toMatchObject({ status: 200, text: '', broken: undefined });
  });

  it('reset-before-headers', async () => {
    expect(await struck({ name: 'reset-before-headers' })).toMatchObject({ status: 0, broken: 'ECONNRESET' });
  });

  it.each([0, 1, 5])('reset-after-events: %i', async (after) => {
    const answer = await struck({ name: 'reset-after-events', after });
    expect(answer.broken).toBe('ECONNRESET');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      frames((await whole()).text)
        .slice(0, after)
        .map((frame) => `${frame}\n\n`)
        .join(''),
    );
  });

  it.each([1, 333])('reset-after-bytes: %i', async (after) => {
    const answer = await struck({ name: 'reset-after-bytes', after });
    expect(answer.broken).toBe('ECONNRESET');
    expect(Buffer.concat(answer.chunks).length).toBe(after);
  });

  it('reset-after-stop: everything came, then the connection broke', async () => {
    const answer = await struck({ name: 'reset-after-stop' });
    expect(eventsOf(answer.text).at(-1)).toEqual({ type: 'message_stop' });
    expect(answer.broken).toBe('ECONNRESET');
  });

  it('cut: a clean end without message_stop', async () => {
    const answer = await struck({ name: 'cut' });
    expect(answer.broken).toBeUndefined();
    expect(eventsOf(answer.text).at(-1)?.type).toBe('message_delta');
    expect(eventsOf((await struck({ name: 'cut', after: 3 })).text)).toHaveLength(3);
  });

  it.each([undefined, 50])('stall: silence, pings every %s ms, until the client leaves', async (pingMs) => {
    const leave = new AbortController();
    server = await startRehearsal({
      clock: impatientClock(),
      scenario: () => ({
        ...SPOKEN,
        faults: [{ name: 'stall', after: 2, ...(pingMs === undefined ? {} : { pingMs }) }],
      }),
    });
    let seen = '';
    const answer = await raw(server.url, {
      body: ask(),
      signal: leave.signal,
      onChunk(chunk) {
        seen += chunk.toString();
        const pings = seen.split('event: ping').length - 1;
        if (pingMs === undefined ? frames(seen).length === 2 : pings >= 3) leave.abort();
      },
    });
    expect(answer.broken).toBeDefined();
    expect(answer.text.includes('event: ping')).toBe(pingMs !== undefined);
    await expect.poll(() => server?.timeline.at(-1)?.kind).toBe('socket_closed');
  });

  it('stall-before-headers', async () => {
    const leave = new AbortController();
    server = await startRehearsal({
      scenario: () => ({ ...SPOKEN, faults: ['stall-before-headers'] }),
      onEvent: (event) => event.kind === 'fault' && leave.abort(),
    });
    expect(await raw(server.url, { body: ask(), signal: leave.signal })).toMatchObject({ status: 0 });
  });

  it('slow-drip: the same bytes, in drops', async () => {
    const clock = impatientClock();
    const answer = await struck({ name: 'slow-drip', size: 10, everyMs: 7 }, { clock });
    expect(answer.text.length).toBe((await whole()).text.length);
    expect(clock.slept.filter((ms) => ms === 7).length).toBeGreaterThan(100);
  });

  it('crlf', async () => {
    const answer = await struck({ name: 'crlf' });
    expect(answer.text).not.toMatch(/[^\r]\n/);
    expect(eventsOf(answer.text)).toEqual(eventsOf((await whole()).text));
  });

  it('split-utf8: characters torn between chunks', async () => {
    const answer = await struck({ name: 'split-utf8' });
    expect(eventsOf(answer.text)).toEqual(eventsOf((await whole()).text));
    expect(answer.chunks.some((chunk) => ((chunk[0] ?? 0) & 0xc0) === 0x80)).toBe(true);
  });

  it('sse-error: mid-stream; without a stream the status says it', async () => {
    const answer = await struck({ name: 'sse-error', after: 4 });
    expect(frames(answer.text)).toHaveLength(5);
    expect(frames(answer.text)[4]).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    );
    expect(await struck({ name: 'sse-error' }, { stream: false })).toMatchObject({ status: 529 });
    expect(await struck({ name: 'sse-error', type: 'api_error' }, { stream: false })).toMatchObject({
      status: 500,
    });
  });

  it('truncated-json and invalid-json', async () => {
    const truncated = await struck({ name: 'truncated-json', after: 3 });
    expect(() => eventsOf(truncated.text)).toThrow();
    expect(eventsOf(frames(truncated.text).slice(0, 3).join('\n\n'))).toHaveLength(3);
    const invalid = await struck({ name: 'invalid-json', after: 3 });
    expect(frames(invalid.text)).toHaveLength(frames((await whole()).text).length);
    expect(() => eventsOf(invalid.text)).toThrow();
    expect(() => JSON.parse('x')).toThrow();
    expect((await struck({ name: 'truncated-json' }, { stream: false })).text).toMatch(/^\{"id":/);
  });

  it('out-of-order and duplicate-event', async () => {
    const events = eventsOf((await whole()).text);
    const swapped = eventsOf((await struck({ name: 'out-of-order', after: 2 })).text);
    expect(swapped).toEqual(events.with(2, events[3]!).with(3, events[2]!));
    const doubled = eventsOf((await struck({ name: 'duplicate-event', after: 2 })).text);
    expect(doubled).toEqual(events.toSpliced(2, 0, events[2]!));
  });

  it('unknown-event and unknown-block', async () => {
    const events = eventsOf((await whole()).text);
    const news = eventsOf((await struck({ name: 'unknown-event', after: 1 })).text);
    expect(news).toHaveLength(events.length + 1);
    expect(news[1]).toMatchObject({ type: 'rehearsal_news' });
    const novelty = eventsOf((await struck({ name: 'unknown-block' })).text);
    expect(novelty[1]).toMatchObject({ index: 0, content_block: { type: 'rehearsal_novelty' } });
    const starts = novelty.flatMap((event) => (event.type === 'content_block_start' ? [event.index] : []));
    expect(starts).toEqual([0, 1, 2, 3]);
  });

  it('huge-delta', async () => {
    const answer = await struck({ name: 'huge-delta', size: 300_000 });
    const longest = Math.max(...eventsOf(answer.text).map((event) => JSON.stringify(event).length));
    expect(longest).toBeGreaterThan(300_000);
  });

  it('delta-without-usage', async () => {
    const delta = eventsOf((await struck({ name: 'delta-without-usage' })).text).find(
      (event) => event.type === 'message_delta',
    );
    expect(delta).toEqual({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null } });
  });

  it('max-tokens-in-tool-json', async () => {
    const events = eventsOf((await struck({ name: 'max-tokens-in-tool-json' })).text);
    const json = events
      .flatMap((event) =>
        event.type === 'content_block_delta' && event.delta.type === 'input_json_delta'
          ? [event.delta.partial_json]
          : [],
      )
      .join('');
    expect(() => JSON.parse(json)).toThrow();
    expect(json.length).toBeGreaterThan(50);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
    expect(messageOf(await struck({ name: 'max-tokens-in-tool-json' }, { stream: false }))).toMatchObject({
      stop_reason: 'max_tokens',
    });
  });

  it.each([
    ['empty-response', 'end_turn'],
    ['refusal', 'refusal'],
    ['pause-turn', 'pause_turn'],
    ['model-context-window-exceeded', 'model_context_window_exceeded'],
  ] as const)('%s', async (name, stopReason) => {
    const message = messageOf(await struck({ name }, { stream: false }));
    expect(message.stop_reason).toBe(stopReason);
    expect(message.content.some((block) => block.type === 'tool_use')).toBe(false);
    expect(message.content).toHaveLength(name === 'empty-response' ? 0 : 2);
  });

  it.each(FAULT_NAMES.filter((name) => !name.startsWith('stall')))(
    '%s ends, with and without a stream',
    async (name) => {
      for (const stream of [true, false]) {
        const clock = impatientClock();
        await struck({ name }, { stream, clock });
        expect(server?.requests[0]?.verdict).toMatchObject({ kind: 'answered', faults: [name] });
      }
    },
  );

  it('several at once: the bytes of an error mid-stream, with CRLF, reset', async () => {
    server = await startRehearsal({
      scenario: () => ({ ...SPOKEN, faults: ['crlf', { name: 'reset-after-events', after: 2 }] }),
    });
    const answer = await raw(server.url, { body: ask() });
    expect(answer.broken).toBe('ECONNRESET');
    expect(eventsOf(answer.text)).toHaveLength(2);
    expect(answer.text).toContain('\r\n\r\n');
  });
});

describe('chaos', () => {
  async function outcomes(seed: number, rate = 0.5, faults?: readonly FaultName[]): Promise<string[]> {
    const chaotic = await startRehearsal({
      chaos: { seed, rate, ...(faults && { faults }) },
      scenario: { name: 'long', replies: [reply('ok', { times: 'any' })] },
      clock: impatientClock(),
    });
    for (let n = 0; n < 30; n++) await raw(chaotic.url, { body: request(`go ${n}`, { stream: true }) });
    const found = chaotic.requests.map(({ verdict }) =>
      verdict.kind === 'answered' ? verdict.faults.join('+') : verdict.kind,
    );
    await chaotic.close();
    return found;
  }

  it('draws the same faults from the same seed', async () => {
    const [one, again, other] = [await outcomes(42), await outcomes(42), await outcomes(43)];
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
    expect(one.filter((fault) => fault !== '').length).toBeGreaterThan(5);
    expect(one.every((fault) => fault === '' || SURVIVABLE_FAULTS.includes(fault as FaultName))).toBe(true);
  });

  it('strikes at the given rate, with the given faults', async () => {
    expect(new Set(await outcomes(1, 1, ['cut']))).toEqual(new Set(['cut']));
    expect(new Set(await outcomes(1, 0))).toEqual(new Set(['']));
  });

  it('spends no reply: the same question gets the same answer until it got through', async () => {
    server = await startRehearsal({
      chaos: { seed: 7, rate: 0.7, faults: ['http-status'] },
      scenario: { name: 'two', replies: [reply('first'), reply('second')] },
    });
    const said: string[] = [];
    for (const prompt of ['a', 'b']) {
      for (let status = 0; status !== 200; ) {
        const answer = await raw(server.url, { body: request(prompt) });
        status = answer.status;
        if (status === 200) said.push(answer.text.includes('first') ? 'first' : 'second');
        else expect(answer.headers['retry-after']).toBe('0');
      }
    }
    expect(said).toEqual(['first', 'second']);
    expect(server.requests.length).toBeGreaterThan(2);
  });

  it.each([
    [{ seed: 1.5, rate: 0.1 }, 'chaos.seed'],
    [{ seed: 1, rate: 2 }, 'chaos.rate'],
    [{ seed: 1, rate: 0.1, faults: ['gremlins' as FaultName] }, 'chaos.faults'],
  ])('refuses nonsense: %j', async (chaos, names) => {
    await expect(startRehearsal({ chaos })).rejects.toThrow(names);
  });
});
