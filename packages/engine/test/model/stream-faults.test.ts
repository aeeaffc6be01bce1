import { inForm } from '@turnwright/test/long-form.ts';
import {
  type Answer,
  type ApiServer,
  apiServer,
  EVENT_STREAM,
  HELLO,
  hello,
  sse,
  start,
  stop,
  streams,
  text,
  textOf,
  toolUse,
} from '@turnwright/test/model/api-server.ts';
import { clientFor, failureOf, requestOf, run } from '@turnwright/test/model/conversation.ts';
import { settle, skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { afterEach, describe, expect, it } from 'vitest';

let server: ApiServer;
afterEach(() => server?.close());

const once = { maxRetries: 0 } as const;
const raw =
  (bytes: string | Buffer, headers: Record<string, string> = EVENT_STREAM): Answer =>
  (response) => {
    response.writeHead(200, headers);
    response.end(bytes);
  };

describe('a stream that is cut', () => {
  it('F41 cut at every byte never looks complete', async () => {
    const whole = Buffer.from(
      sse(start(), ...text(0, 'Grüße 👋'), ...toolUse(1, 't1', '{"a":', '"é"}'), ...stop('tool_use')),
    );
    let cut = 0;
    server = await apiServer((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.end(whole.subarray(0, cut));
    });
    const client = clientFor(server.url, once);
    const outcomes = new Set<string>();
    for (cut = 0; cut < whole.length; cut += inForm(5, 1)) {
      const { outcome } = await run(client);
      outcomes.add(`${outcome.kind} ${failureOf(outcome).kind}`);
    }
    expect([...outcomes].sort()).toEqual(['broken cut', 'failed cut', 'failed protocol']);
    cut = whole.length;
    expect((await run(client)).outcome.kind).toBe('complete');
  });

  it('a reset mid-stream keeps what came, then is broken', async () => {
    server = await apiServer((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(sse(start(), ...text(0, 'partial')), () =>
        setTimeout(() => response.socket?.resetAndDestroy(), 20),
      );
    });
    const { events, outcome } = await run(clientFor(server.url));
    expect(textOf(events)).toBe('partial');
    expect(outcome).toMatchObject({
      kind: 'broken',
      failure: { kind: 'cut' },
      retry: { keepAlive: false, retries: 0 },
    });
    expect(outcome.attempts).toMatchObject([{ outcome: 'cut', wasted: true, usage: { input_tokens: 10 } }]);
  });

  it('a reset after message_stop is complete', async () => {
    server = await apiServer((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(sse(...HELLO), () => response.socket?.resetAndDestroy());
    });
    expect((await run(clientFor(server.url))).outcome.kind).toBe('complete');
  });

  it('a stream that stays open after message_stop gives its socket up', async () => {
    server = await apiServer((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(sse(...HELLO));
    });
    const clock = skippingClock();
    const ran = run(clientFor(server.url, { clock }));
    for (let i = 0; i < 10; i++) await settle();
    await clock.advance(1000);
    expect((await ran).outcome.kind).toBe('complete');
    await expect.poll(() => server.openSockets).toBe(0);
  });
});

describe('F41: bytes in odd shapes', () => {
  it('characters, lines and CRLF split at every byte', async () => {
    const bytes = Buffer.from(
      `: comment\r\n${sse(start(), ...text(0, 'é👋ü'), ...stop()).replaceAll('\n', '\r\n')}`,
    );
    server = await apiServer(async (response) => {
      response.writeHead(200, EVENT_STREAM);
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        if (byte > 127 || byte === 13) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const { events, outcome } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('complete');
    expect(textOf(events)).toBe('é👋ü');
  });

  it.each(['\n', '\r\n', '\r'])(
    'lines that end with %j, a byte order mark, data on several lines',
    async (end) => {
      const events = sse(start(), ...text(0, 'é👋ü'), ...stop()).replaceAll('data: {', 'data:{\ndata: ');
      const bytes = Buffer.from(`\uFEFF: hi\nid: 1\n\n${events}`.replaceAll('\n', end));
      let cut = 0;
      server = await apiServer(async (response) => {
        response.writeHead(200, EVENT_STREAM);
        response.write(bytes.subarray(0, cut));
        await new Promise((resolve) => setImmediate(resolve));
        response.end(bytes.subarray(cut));
      });
      for (; cut < bytes.length; cut += inForm(29, 7)) {
        const { events: got, outcome } = await run(clientFor(server.url, once));
        expect(outcome.kind).toBe('complete');
        expect(textOf(got)).toBe('é👋ü');
      }
    },
  );

  it('unknown events, blocks, deltas and comments are tolerated', async () => {
    server = await apiServer(
      raw(
        `: hi\n\nretry: 10\n\n${sse(
          { type: 'ping' },
          start(),
          { type: 'new_event', x: 1 },
          { type: 'content_block_start', index: 0, content_block: { type: 'hologram', data: 'x' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'hologram_delta', d: 1 } },
          { type: 'content_block_stop', index: 0 },
          ...text(1, 'ok'),
          ...stop(),
        )}data: [DONE]\n\n`,
      ),
    );
    const { events, outcome } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('complete');
    expect(events).toContainEqual({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'hologram', data: 'x' },
    });
    expect(events.map((event) => event.type)).not.toContain('new_event');
  });

  it('message_delta without usage, and message_start without most fields', async () => {
    server = await apiServer(
      streams(
        { type: 'message_start', message: { id: 'm' } },
        ...text(0, 'x'),
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
        { type: 'message_stop' },
      ),
    );
    const { events, outcome } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('complete');
    expect(events[0]).toMatchObject({
      type: 'message_start',
      message: { content: [], usage: { input_tokens: 0, output_tokens: 0 } },
    });
  });

  it('cumulative usage replaces, it is not added', async () => {
    const delta = (output_tokens: number) => ({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens, input_tokens: null },
    });
    server = await apiServer(streams(start(), ...text(0, 'x'), delta(5), delta(9), { type: 'message_stop' }));
    const { outcome } = await run(clientFor(server.url));
    expect(outcome.attempts[0]?.usage).toMatchObject({ input_tokens: 10, output_tokens: 9 });
  });

  it.each([
    ['malformed JSON', `${sse(start())}data: {"type":"content_bl\n\n`],
    ['an event that is no object', `${sse(start())}data: 7\n\n`],
    ['a second message_start', sse(start(), start())],
    [
      'a delta for an unknown index',
      sse(start(), { type: 'content_block_delta', index: 4, delta: { type: 'text_delta', text: 'x' } }),
    ],
    ['a block begun twice', sse(start(), ...text(0, 'a'), ...text(0, 'b'))],
    ['a block ended twice', sse(start(), ...text(0, 'a'), { type: 'content_block_stop', index: 0 })],
    ['a stop inside a block', sse(start(), text(0, 'a')[0] as object, { type: 'message_stop' })],
    [
      'a delta of another kind',
      sse(start(), text(0, 'a')[0] as object, {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{' },
      }),
    ],
    [
      'a delta without its text',
      sse(start(), text(0, 'a')[0] as object, {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta' },
      }),
    ],
  ])('%s after the start is broken', async (_, bytes) => {
    server = await apiServer(raw(bytes + sse(...stop())));
    const { outcome } = await run(clientFor(server.url));
    expect(outcome).toMatchObject({ kind: 'broken', failure: { kind: 'protocol' } });
  });

  it.each([
    ['content before the start', sse(...text(0, 'x'))],
    ['malformed JSON', 'data: {{{\n\n'],
    ['an empty body', ''],
  ])('%s before the start is retried', async (_, bytes) => {
    server = await apiServer(raw(bytes), hello);
    const { outcome, notices } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('complete');
    expect(notices).toHaveLength(1);
  });

  it('an error event after the start is a stream_error', async () => {
    server = await apiServer(
      streams(start(), { type: 'error', error: { type: 'api_error', message: 'Internal' } }),
    );
    const { outcome } = await run(clientFor(server.url));
    expect(outcome).toMatchObject({
      kind: 'broken',
      failure: { kind: 'stream_error', errorType: 'api_error' },
    });
  });
});

describe('a 200 that is not the Messages API', () => {
  it.each([
    ['an HTML page', '<html><title>Log in</title></html>', { 'content-type': 'text/html' }, 'text/html'],
    ['an answer without a content type', sse(...HELLO), {}, 'without a content type'],
    [
      'a compressed answer',
      'xxxx',
      { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
      'gzip',
    ],
    ['plain text', 'ok', { 'content-type': 'text/plain' }, 'text/plain'],
  ])('%s is a protocol failure that names it', async (_, body, headers, named) => {
    server = await apiServer((response) => {
      response.writeHead(200, headers as Record<string, string>);
      response.end(body);
    });
    const { outcome } = await run(clientFor(server.url));
    expect(failureOf(outcome)).toMatchObject({ kind: 'protocol', status: 200 });
    expect(failureOf(outcome).message).toContain(named);
    expect(server.received).toHaveLength(1);
  });

  it('a JSON error with status 200 is classified', async () => {
    server = await apiServer(
      raw(JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }), {
        'content-type': 'application/json',
      }),
      hello,
    );
    const { notices, outcome } = await run(clientFor(server.url));
    expect(notices).toMatchObject([{ error: 'overloaded' }]);
    expect(outcome.kind).toBe('complete');
  });

  it('a redirect is named without its query', async () => {
    server = await apiServer((response) => {
      response.writeHead(302, { location: 'https://login.example/?token=secret' });
      response.end();
    });
    const failure = failureOf((await run(clientFor(server.url))).outcome);
    expect(failure.message).toContain('https://login.example/');
    expect(failure.message).not.toContain('secret');
  });
});

describe('timers, while a read is outstanding', () => {
  const begin: Answer = (response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(sse(start(), ...text(0, 'x').slice(0, 2)));
  };
  /** Runs until nothing more happens but time. */
  async function waiting(answer: Answer, more: Parameters<typeof clientFor>[1] = {}, request = requestOf()) {
    server = await apiServer(answer, hello);
    const clock = skippingClock();
    let done = false;
    const ran = run(clientFor(server.url, { clock, ...once, ...more }), request).finally(() => {
      done = true;
    });
    while (server.received.length === 0) await settle();
    for (let i = 0; i < 20; i++) await settle();
    return { clock, ran, isDone: () => done };
  }

  it('F34 silence after the first event is stalled after 90 s', async () => {
    const { clock, ran, isDone } = await waiting(begin);
    await clock.advance(89_000);
    expect(isDone()).toBe(false);
    await clock.advance(1000);
    expect((await ran).outcome).toMatchObject({ kind: 'broken', failure: { kind: 'stalled' } });
    await expect.poll(() => server.openSockets).toBe(0);
  });

  it('F34 abort during silence ends the call', async () => {
    const controller = new AbortController();
    server = await apiServer(begin);
    const { outcome } = await run(
      clientFor(server.url),
      requestOf(),
      { signal: controller.signal },
      (output) => {
        if (output.kind === 'events') setTimeout(() => controller.abort(), 10);
      },
    );
    expect(outcome.kind).toBe('aborted');
  });

  it('F35 zero bytes ever: a timeout, retried', async () => {
    const { clock, ran, isDone } = await waiting(() => {}, { maxRetries: 1 });
    await clock.advance(359_000);
    expect(isDone()).toBe(false);
    await clock.advance(2000);
    const { outcome, notices } = await ran;
    expect(outcome.attempts.map((attempt) => attempt.outcome)).toEqual(['timeout', 'complete']);
    expect(notices).toHaveLength(1);
  });

  it('F35 headers and then nothing: stalled after 90 s', async () => {
    const { clock, ran } = await waiting((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.flushHeaders();
    });
    await clock.advance(90_000);
    expect((await ran).outcome).toMatchObject({ kind: 'failed', failure: { kind: 'stalled' } });
  });

  it.each(['headers', 'first byte'])(
    'F36 a model that reads for eight minutes before the %s is let be',
    async (before) => {
      let answer = () => {};
      const { clock, ran } = await waiting(
        (response, ...rest) => {
          if (before === 'first byte') response.writeHead(200, EVENT_STREAM).flushHeaders();
          answer = () => (before === 'headers' ? hello(response, ...rest) : response.end(sse(...HELLO)));
        },
        { timeoutsFor: (model) => (model === 'local' ? { firstByteMs: 900_000 } : undefined) },
        requestOf(undefined, { model: 'local' }),
      );
      await clock.advance(480_000);
      answer();
      expect((await ran).outcome.kind).toBe('complete');
    },
  );

  const pings = (first: readonly object[]): [Answer, () => void] => {
    let ping = () => {};
    return [
      (response) => {
        response.writeHead(200, EVENT_STREAM);
        response.write(sse(...first));
        ping = () => response.write(sse({ type: 'ping' }));
      },
      () => ping(),
    ];
  };
  async function pingFor(minutes: number, clock: ReturnType<typeof skippingClock>, ping: () => void) {
    for (let passed = 0; passed < minutes; passed++) {
      await clock.advance(60_000);
      ping();
      for (let i = 0; i < 10; i++) await settle();
    }
  }

  it('F37 pings without content: stalled after 10 min', async () => {
    const [answer, ping] = pings([start(), ...text(0, 'x').slice(0, 2)]);
    const { clock, ran, isDone } = await waiting(answer);
    await pingFor(9, clock, ping);
    expect(isDone()).toBe(false);
    await pingFor(2, clock, ping);
    expect((await ran).outcome).toMatchObject({ kind: 'broken', failure: { kind: 'stalled' } });
  });

  it('F37 the limit is an option', async () => {
    const [answer, ping] = pings([start()]);
    const { clock, ran, isDone } = await waiting(answer, {
      timeouts: { contentMs: Number.POSITIVE_INFINITY },
    });
    await pingFor(40, clock, ping);
    expect(isDone()).toBe(false);
    await clock.advance(90_000);
    expect((await ran).outcome.kind).toBe('broken');
  });

  it('thinking for 15 min with pings is healthy, 30 min is not', async () => {
    const [answer, ping] = pings([
      start(),
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
    ]);
    const { clock, ran, isDone } = await waiting(answer);
    await pingFor(29, clock, ping);
    expect(isDone()).toBe(false);
    await pingFor(2, clock, ping);
    expect((await ran).outcome).toMatchObject({ kind: 'broken', failure: { kind: 'stalled' } });
  });

  it('F40 a machine that slept for an hour: stalled at once, pooled sockets dropped', async () => {
    const { clock, ran } = await waiting((response, received, n) =>
      n === 1 ? begin(response, received, n) : hello(response, received, n),
    );
    clock.standStill(3_600_000);
    await clock.advance(0);
    const { outcome } = await ran;
    expect(outcome).toMatchObject({ kind: 'broken', failure: { kind: 'stalled' } });
    expect(failureOf(outcome).message).toContain('slept');
  });

  it('a slow consumer trips nothing', async () => {
    server = await apiServer(streams(start(), ...text(0, 'a', 'b'), ...stop()));
    const clock = skippingClock();
    const { outcome } = await run(clientFor(server.url, { clock }), requestOf(), {}, async () => {
      await clock.advance(3_600_000);
    });
    expect(outcome.kind).toBe('complete');
  });
});

describe('back-pressure', () => {
  it('the socket waits for a consumer that does not pull', async () => {
    const block = sse({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(1000) },
    }).repeat(100);
    let written = 0;
    let wanted = 300;
    server = await apiServer(async (response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(sse(start(), text(0)[0] as object));
      for (; wanted > 0 && !response.destroyed; wanted--) {
        written += block.length;
        if (!response.write(block)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end(sse({ type: 'content_block_stop', index: 0 }, ...stop()));
    });
    let stalledAt: number | undefined;
    const { events, outcome } = await run(clientFor(server.url), requestOf(), {}, async (output) => {
      if (output.kind !== 'events' || stalledAt !== undefined) return;
      let before = -1;
      while (before !== written) {
        before = written;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      stalledAt = written;
    });
    expect(stalledAt).toBeLessThan(20_000_000);
    expect(outcome.kind).toBe('complete');
    expect(textOf(events)).toHaveLength(300 * 100 * 1000);
  });
});
