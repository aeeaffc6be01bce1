import {
  type Answer,
  type ApiServer,
  apiServer,
  HELLO,
  hello,
  overloaded,
  refuses,
  sse,
  start,
  streams,
  text,
} from '@turnwright/test/model/api-server.ts';
import {
  calls,
  clientFor,
  failureOf,
  requestOf,
  result,
  run,
  thinks,
  user,
  viewOf,
} from '@turnwright/test/model/conversation.ts';
import { settle, skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { FRESH_RETRY_STATE } from '../../src/protocol/model/model.ts';

let server: ApiServer;
afterEach(() => server?.close());

const limited = (headers: Record<string, string> = {}) =>
  refuses(429, 'rate_limit_error', 'Slow down', headers);
const broken500 = refuses(500, 'api_error', 'Internal server error');

describe('L8: what is retried', () => {
  it('backs off from 500 ms to 32 s, ten times, each wait announced', async () => {
    server = await apiServer(broken500);
    const clock = skippingClock();
    const { notices, outcome } = await run(clientFor(server.url, { clock }));
    expect(clock.sleeps).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000, 32_000]);
    expect(server.received).toHaveLength(11);
    expect(notices[0]).toEqual({
      attempt: 1,
      maxRetries: 10,
      delayMs: 500,
      status: 500,
      error: 'server_error',
      cause: 'Internal server error',
    });
    expect(notices.map((notice) => notice.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { kind: 'server_error', status: 500 },
      retry: { retries: 10 },
    });
    expect(outcome.attempts).toHaveLength(11);
    expect(outcome.attempts[1]).toMatchObject({
      outcome: 'server_error',
      status: 500,
      requestId: 'req_err',
      waitedMs: 500,
    });
  });

  it('gives up after four retries where nothing has ever answered; each wait names the address', async () => {
    server = await apiServer(hello);
    const { url } = server;
    await server.close();
    const clock = skippingClock();
    const { notices, outcome } = await run(clientFor(url, { clock }));
    expect(clock.sleeps).toEqual([500, 1000, 2000, 4000]);
    expect(notices.map(({ attempt, maxRetries }) => `${attempt} of ${maxRetries}`)).toEqual([
      '1 of 4',
      '2 of 4',
      '3 of 4',
      '4 of 4',
    ]);
    expect(notices[0]?.cause).toContain(`(${url.replace('http://', '')}) refuses connections`);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'connection' } });

    const patient = skippingClock();
    await run(clientFor(url, { clock: patient, unreachedRetries: 6 }));
    expect(patient.sleeps).toHaveLength(6);
    const unattended = skippingClock();
    await run(clientFor(url, { clock: unattended, persistentRetry: true }));
    expect(unattended.sleeps).toHaveLength(10);
  });

  it('is patient with an endpoint that has answered before', async () => {
    server = await apiServer(hello);
    const clock = skippingClock();
    const client = clientFor(server.url, { clock });
    expect((await run(client)).outcome.kind).toBe('complete');
    await server.close();
    expect((await run(client)).outcome.kind).toBe('failed');
    expect(clock.sleeps).toHaveLength(10);
  });

  it.each([
    ['whole', 'application/json', '{"object":"chat.completion","choices":[]}'],
    [
      'streamed',
      'text/event-stream',
      'data: {"object":"chat.completion.chunk","choices":[]}\n\ndata: [DONE]\n\n',
    ],
  ])('explains an answer of another API at once: %s', async (_, type, body) => {
    server = await apiServer((response) => void response.writeHead(200, { 'content-type': type }).end(body));
    const { notices, outcome } = await run(clientFor(server.url));
    expect(notices).toEqual([]);
    expect(failureOf(outcome)).toMatchObject({
      kind: 'protocol',
      message: expect.stringMatching(/not as the Messages API does.*OpenAI.*Check the base URL/),
    });
  });

  it('adds up to a quarter of jitter', async () => {
    server = await apiServer(broken500, broken500, hello);
    const clock = skippingClock();
    await run(clientFor(server.url, { clock, random: () => 0.999 }));
    expect(clock.sleeps).toEqual([625, 1250]);
  });

  it.each([408, 409, 500, 502, 503, 504, 529])('%i is retried', async (status) => {
    server = await apiServer(refuses(status, 'x_error', 'x'), hello);
    const { outcome, notices } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('complete');
    expect(notices).toHaveLength(1);
  });

  it.each([400, 402, 403, 404, 405, 413, 422])('%i is not retried', async (status) => {
    server = await apiServer(refuses(status, 'x_error', 'x'));
    const { outcome, notices } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('failed');
    expect(notices).toEqual([]);
  });

  it('obeys x-should-retry both ways', async () => {
    server = await apiServer(refuses(500, 'api_error', 'x', { 'x-should-retry': 'false' }));
    expect((await run(clientFor(server.url))).outcome.kind).toBe('failed');
    await server.close();
    server = await apiServer(refuses(422, 'x_error', 'x', { 'x-should-retry': 'true' }), hello);
    expect((await run(clientFor(server.url))).outcome.kind).toBe('complete');
  });

  it('a reset is retried on a new connection without keep-alive', async () => {
    const reset: Answer = (response) => {
      response.socket?.resetAndDestroy();
    };
    server = await apiServer(hello, reset, hello);
    const client = clientFor(server.url);
    await run(client);
    const { outcome, notices } = await run(client);
    expect(outcome).toMatchObject({ kind: 'complete', retry: { keepAlive: false } });
    expect(notices[0]).toMatchObject({ status: null, error: 'unknown' });
    expect(server.received[2]?.headers.connection).toBe('close');
    expect(outcome.attempts.map((attempt) => attempt.outcome)).toEqual(['connection', 'complete']);
  });

  it('a refused connection is retried and named', async () => {
    server = await apiServer(hello);
    const { url } = server;
    await server.close();
    const { outcome } = await run(clientFor(url, { maxRetries: 2 }));
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'connection' }, retry: { retries: 2 } });
    expect(failureOf(outcome).message).toContain('refuses connections');
  });
});

describe('F51: retry-after', () => {
  const inTen = new Date(Date.UTC(2026, 10, 1) + 10_000).toUTCString();
  it.each([
    ['2', 2000],
    ['1.5', 1500],
    ['0', 500],
    [inTen, 10_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 500],
    ['-5', 500],
    ['NaN', 500],
    ['soon', 500],
    ['Mon, nonsense', 500],
    ['300', 300_000],
  ])('%s waits %i ms', async (value, wait) => {
    server = await apiServer(limited({ 'retry-after': value }), hello);
    const clock = skippingClock();
    const { outcome } = await run(clientFor(server.url, { clock }));
    expect(clock.sleeps).toEqual([wait]);
    expect(outcome.kind).toBe('complete');
  });

  it.each(['301', '3600', '99999999', '1e400'.replace('1e400', '9'.repeat(400))])(
    '%s is surfaced, not slept',
    async (value) => {
      server = await apiServer(limited({ 'retry-after': value }));
      const clock = skippingClock();
      const { outcome } = await run(clientFor(server.url, { clock }));
      expect(clock.sleeps).toEqual([]);
      expect(failureOf(outcome)).toMatchObject({ kind: 'rate_limited', status: 429 });
      expect(failureOf(outcome).message).toContain('asks to wait');
    },
  );

  it('missing: back-off', async () => {
    server = await apiServer(limited(), hello);
    const clock = skippingClock();
    await run(clientFor(server.url, { clock }));
    expect(clock.sleeps).toEqual([500]);
  });
});

describe('overload', () => {
  it('the call fails at the limit of overloaded answers in a row, although retries are left', async () => {
    server = await apiServer(overloaded());
    const { outcome, notices } = await run(
      clientFor(server.url),
      requestOf(undefined, { fallsBackOn: ['overloaded', 'stalled'] }),
    );
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { kind: 'overloaded', status: 529 },
      retry: { overloadedInARow: 3 },
    });
    expect(server.received).toHaveLength(3);
    expect(notices.map((notice) => notice.error)).toEqual(['overloaded', 'overloaded']);
  });

  it('another failure ends the row', async () => {
    server = await apiServer(overloaded(), overloaded(), broken500, overloaded(), hello);
    const { outcome } = await run(
      clientFor(server.url),
      requestOf(undefined, { fallsBackOn: ['overloaded', 'stalled'] }),
    );
    expect(outcome).toMatchObject({ kind: 'complete', retry: { overloadedInARow: 0 } });
  });

  it('without a fallback all retries are used', async () => {
    server = await apiServer(overloaded());
    const { outcome } = await run(clientFor(server.url, { maxRetries: 4 }));
    expect(outcome.kind).toBe('failed');
    expect(server.received).toHaveLength(5);
  });

  it('a background query gives up at once', async () => {
    server = await apiServer(overloaded());
    const { outcome, notices } = await run(
      clientFor(server.url),
      requestOf(undefined, { foreground: false }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'overloaded' } });
    expect(notices).toEqual([]);
  });

  it('an overloaded_error inside the stream counts in the row and is broken once a message has begun', async () => {
    const midStream = streams(start(), {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    server = await apiServer(midStream);
    const client = clientFor(server.url);
    const request = requestOf(undefined, { fallsBackOn: ['overloaded', 'stalled'] });
    const first = await run(client, request);
    expect(first.outcome).toMatchObject({
      kind: 'broken',
      failure: { kind: 'overloaded' },
      retry: { overloadedInARow: 1 },
    });
    const again = {
      retry: first.outcome.retry,
      after: { failure: failureOf(first.outcome), immediate: true },
    };
    const second = await run(client, request, again);
    expect(second.notices).toEqual([]);
    expect(second.outcome).toMatchObject({ kind: 'broken', retry: { overloadedInARow: 2, retries: 0 } });
    const third = await run(client, request, {
      retry: second.outcome.retry,
      after: { failure: failureOf(second.outcome), immediate: false },
    });
    expect(third.notices).toMatchObject([{ attempt: 1, delayMs: 500 }]);
    expect(third.outcome).toMatchObject({ kind: 'broken', retry: { overloadedInARow: 3 } });
  });

  it('before a message has begun it is an answer like 529', async () => {
    server = await apiServer(
      streams({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      hello,
    );
    const { outcome, notices } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('complete');
    expect(notices).toMatchObject([{ error: 'overloaded' }]);
  });
});

describe('asking again after a broken stream', () => {
  const failure = { kind: 'cut', message: 'cut' } as const;

  it('counts as an attempt, with back-off and notice', async () => {
    server = await apiServer(hello);
    const clock = skippingClock();
    const retry = { ...FRESH_RETRY_STATE, retries: 2 };
    const { notices, outcome } = await run(clientFor(server.url, { clock }), requestOf(), {
      retry,
      after: { failure, immediate: false },
    });
    expect(clock.sleeps).toEqual([2000]);
    expect(notices).toEqual([
      { attempt: 3, maxRetries: 10, delayMs: 2000, status: null, error: 'unknown', cause: 'cut' },
    ]);
    expect(outcome).toMatchObject({ kind: 'complete', retry: { retries: 3 } });
  });

  it('fails when no retries are left, without a request', async () => {
    server = await apiServer(hello);
    const retry = { ...FRESH_RETRY_STATE, retries: 10 };
    const { outcome } = await run(clientFor(server.url), requestOf(), {
      retry,
      after: { failure, immediate: false },
    });
    expect(outcome).toMatchObject({ kind: 'failed', failure });
    expect(server.received).toHaveLength(0);
  });

  it('immediately on request, without counting', async () => {
    server = await apiServer(hello);
    const { notices, outcome } = await run(clientFor(server.url), requestOf(), {
      after: { failure, immediate: true },
    });
    expect(notices).toEqual([]);
    expect(outcome.retry.retries).toBe(0);
  });
});

describe('F52: credentials', () => {
  const bad = refuses(401, 'authentication_error', 'invalid x-api-key');

  it('401 without a provider is not retried, and says why', async () => {
    server = await apiServer(bad);
    const { outcome, notices } = await run(clientFor(server.url));
    expect(server.received).toHaveLength(1);
    expect(notices).toEqual([]);
    expect(failureOf(outcome)).toMatchObject({ kind: 'authentication', status: 401 });
    expect(failureOf(outcome).message).toContain('invalid x-api-key');
    expect(JSON.stringify(failureOf(outcome))).not.toContain('sk-test');
  });

  it('401 is retried once with a fresh key', async () => {
    server = await apiServer(bad, hello);
    const asked: string[] = [];
    const credentials = async (why: string) => {
      asked.push(why);
      return { apiKey: 'sk-new' };
    };
    const { outcome } = await run(clientFor(server.url, { credentials }));
    expect(outcome).toMatchObject({ kind: 'complete', retry: { credentialsRefreshed: true } });
    expect(server.received.map((got) => got.headers['x-api-key'])).toEqual(['sk-test', 'sk-new']);
    expect(asked).toEqual(['expired']);
  });

  it('a second 401 is final', async () => {
    server = await apiServer(bad);
    const { outcome } = await run(clientFor(server.url, { credentials: async () => ({ apiKey: 'sk-new' }) }));
    expect(server.received).toHaveLength(2);
    expect(failureOf(outcome).kind).toBe('authentication');
  });

  it('403 of a revoked token forces a refresh; another 403 does not', async () => {
    server = await apiServer(
      refuses(403, 'permission_error', 'OAuth token has been revoked.'),
      hello,
      refuses(403, 'permission_error', 'no access'),
    );
    const asked: string[] = [];
    const client = clientFor(server.url, {
      credentials: async (why) => {
        asked.push(why);
        return { authToken: 'fresh' };
      },
    });
    expect((await run(client)).outcome.kind).toBe('complete');
    expect(server.received[1]?.headers).toMatchObject({ authorization: 'Bearer fresh' });
    expect(server.received[1]?.headers).not.toHaveProperty('x-api-key');
    expect(failureOf((await run(client)).outcome).kind).toBe('permission');
    expect(asked).toEqual(['revoked']);
  });

  it('many refused calls renew once', async () => {
    server = await apiServer((response, received, n) =>
      (received.headers['x-api-key'] === 'sk-new' ? hello : bad)(response, received, n),
    );
    let renewals = 0;
    const client = clientFor(server.url, {
      credentials: async () => {
        renewals++;
        await settle();
        return { apiKey: 'sk-new' };
      },
    });
    const ran = await Promise.all([run(client), run(client), run(client)]);
    expect(ran.map(({ outcome }) => outcome.kind)).toEqual(['complete', 'complete', 'complete']);
    expect(renewals).toBe(1);
  });

  it('a provider that throws leaves the first answer standing', async () => {
    server = await apiServer(bad);
    const credentials = async () => {
      throw new Error('helper failed');
    };
    expect(failureOf((await run(clientFor(server.url, { credentials }))).outcome).kind).toBe(
      'authentication',
    );
  });
});

describe('requests made smaller', () => {
  const over = (input: number, limit = 200_000) =>
    refuses(
      400,
      'invalid_request_error',
      `input length and \`max_tokens\` exceed context limit: ${input} + 8000 > ${limit}, decrease input length or \`max_tokens\` and try again`,
    );

  it('max_tokens becomes what is free, less 1000', async () => {
    server = await apiServer(over(194_000), hello);
    const { outputs, outcome, notices } = await run(clientFor(server.url));
    expect(server.received[1]?.json['max_tokens']).toBe(5000);
    expect(outcome).toMatchObject({ kind: 'complete', retry: { maxTokens: 5000 } });
    expect(notices).toEqual([]);
    expect(outputs.filter((output) => output.kind === 'attempt').map((output) => output.maxTokens)).toEqual([
      8000, 5000,
    ]);
  });

  it('under 3000 free it is a prompt that is too long', async () => {
    server = await apiServer(over(196_001));
    const { outcome } = await run(clientFor(server.url));
    expect(failureOf(outcome)).toMatchObject({
      kind: 'prompt_too_long',
      tokens: { input: 196_001, maxTokens: 8000, limit: 200_000 },
    });
    expect(server.received).toHaveLength(1);
  });

  it('does not repeat endlessly', async () => {
    server = await apiServer(over(194_000));
    const { outcome } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('failed');
    expect(server.received).toHaveLength(2);
  });

  it('an invalid signature is answered once without thinking', async () => {
    server = await apiServer(
      refuses(400, 'invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block'),
    );
    const view = viewOf(user('hi'), thinks('m1', 'secret'), calls('m1', 't1'), result('t1', 'ok'));
    const { outcome } = await run(clientFor(server.url), requestOf(view));
    expect(server.received).toHaveLength(2);
    expect(server.received[0]?.text).toContain('secret');
    expect(server.received[1]?.text).not.toContain('secret');
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { kind: 'invalid_signature' },
      retry: { withoutThinking: true },
    });
  });

  it('thinking that was refused once is not sent again; what is thought later is', async () => {
    server = await apiServer(
      refuses(400, 'invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block'),
      hello,
    );
    const client = clientFor(server.url);
    const view = viewOf(user('hi'), thinks('m1', 'secret'), calls('m1', 't1'), result('t1', 'ok'));
    const longer = view.append([thinks('m2', 'sound'), calls('m2', 't2'), result('t2', 'ok')]);
    await run(client, requestOf(view));
    await run(client, requestOf(longer));
    // Another view of the same session, as a compaction leaves it.
    await run(client, requestOf(viewOf(...longer)));
    const sent = server.received.map(({ text }) => [text.includes('secret'), text.includes('sound')]);
    expect(sent).toEqual([
      [true, false],
      [false, false],
      [false, true],
      [false, true],
    ]);
    const messages = (n: number) =>
      server.received[n]?.text.replace(/.*"messages":\[(.*)\],"output_config".*/, '$1');
    const unmarked = (n: number) => messages(n)?.replaceAll(',"cache_control":{"type":"ephemeral"}', '');
    expect(unmarked(2)?.startsWith(unmarked(1) ?? '-'), 'the bytes of the repeat recur').toBe(true);
  });
});

describe('persistent mode', () => {
  it('waits out any number of 529, capped at 5 min, with a heartbeat every 30 s', async () => {
    server = await apiServer(...Array<Answer>(14).fill(overloaded()), hello);
    const clock = skippingClock();
    const { notices, outcome } = await run(
      clientFor(server.url, { clock, persistentRetry: true, maxRetries: 2 }),
    );
    expect(outcome.kind).toBe('complete');
    expect(Math.max(...clock.sleeps)).toBe(30_000);
    // Without a limit there is none to name: the number of the attempt stands in its place.
    expect(notices.every((notice) => notice.isUnlimited === true)).toBe(true);
    expect(notices.every(({ attempt, maxRetries }) => attempt === maxRetries)).toBe(true);
    const last = notices.filter((notice) => notice.attempt === 14);
    expect(last.map((notice) => notice.delayMs)).toEqual(
      [300, 270, 240, 210, 180, 150, 120, 90, 60, 30].map((s) => s * 1000),
    );
  });

  it('honours a reset up to 6 h and then asks again', async () => {
    server = await apiServer(limited({ 'retry-after': '36000' }), hello);
    const clock = skippingClock();
    const { notices } = await run(clientFor(server.url, { clock, persistentRetry: true }));
    expect(notices[0]?.delayMs).toBe(6 * 3_600_000);
    expect(clock.monotonicMs()).toBe(6 * 3_600_000);
  });

  it('takes the reset of the rate limit when there is no retry-after', async () => {
    const at = Date.UTC(2026, 10, 1) / 1000 + 3600;
    server = await apiServer(limited({ 'anthropic-ratelimit-unified-reset': String(at) }), hello);
    const clock = skippingClock();
    await run(clientFor(server.url, { clock, persistentRetry: true }));
    expect(Math.round(clock.monotonicMs() / 1000)).toBe(3600);
  });

  it('starts the back-off anew at least every 6 h', async () => {
    server = await apiServer(...Array<Answer>(90).fill(overloaded()), hello);
    const { notices } = await run(clientFor(server.url, { persistentRetry: true }));
    expect(notices.slice(200).some((notice) => notice.attempt === 1 && notice.delayMs === 500)).toBe(true);
  });

  it('limits all other failures as ever', async () => {
    server = await apiServer(broken500);
    await run(clientFor(server.url, { persistentRetry: true, maxRetries: 2 }));
    expect(server.received).toHaveLength(3);
  });
});

describe('fast mode under 429', () => {
  const fast = requestOf(undefined, { speed: 'fast', model: 'claude-opus-5-5' });
  const speeds = () => server.received.map((got) => got.json['speed']);

  it('a wait of 20 s at most keeps it', async () => {
    server = await apiServer(limited({ 'retry-after': '20' }), hello);
    const client = clientFor(server.url);
    await run(client, fast);
    expect(speeds()).toEqual(['fast', 'fast']);
    expect(client.fastMode()).toEqual({ state: 'on' });
    expect(server.received[0]?.headers['anthropic-beta']).toContain('fast-mode');
  });

  it('is asked for only of models that offer it', async () => {
    server = await apiServer(hello);
    await run(clientFor(server.url), { ...fast, model: 'claude-sonnet-5-5' });
    expect(speeds()).toEqual([undefined]);
    expect(server.received[0]?.headers['anthropic-beta']).not.toContain('fast-mode');
  });

  it('an organisation that does not have it ends it, and the request goes out again at once', async () => {
    server = await apiServer(
      refuses(400, 'invalid_request_error', 'Fast mode is not enabled for this organization'),
      hello,
    );
    const client = clientFor(server.url);
    await run(client, fast);
    expect(speeds()).toEqual(['fast', undefined]);
    expect(client.fastMode()).toEqual({ state: 'off', reason: 'preference' });
  });

  it.each([
    ['21', 600_000],
    ['3600', 3_600_000],
  ])('a wait of %s s goes on at normal speed for %i ms', async (seconds, cooldownMs) => {
    server = await apiServer(limited({ 'retry-after': seconds }), hello);
    const clock = skippingClock();
    const client = clientFor(server.url, { clock });
    await run(client, fast);
    expect(clock.sleeps).toEqual([500]);
    await clock.advance(cooldownMs - 501);
    expect(client.fastMode()).toEqual({ state: 'cooldown' });
    await run(client, fast);
    await clock.advance(501);
    await run(client, fast);
    expect(speeds()).toEqual(['fast', undefined, undefined, 'fast']);
  });

  it('a long wait goes on at normal speed, for ten minutes at least', async () => {
    server = await apiServer(limited({ 'retry-after': '60' }), hello);
    const clock = skippingClock();
    const client = clientFor(server.url, { clock });
    await run(client, fast);
    expect(clock.sleeps).toEqual([500]);
    await run(client, fast);
    await clock.advance(600_000);
    await run(client, fast);
    expect(speeds()).toEqual(['fast', undefined, undefined, 'fast']);
  });

  it('a refusal of overage switches it off for good', async () => {
    server = await apiServer(
      limited({ 'anthropic-ratelimit-unified-overage-disabled-reason': 'out_of_credits' }),
      hello,
    );
    const clock = skippingClock();
    const client = clientFor(server.url, { clock });
    await run(client, fast);
    expect(clock.sleeps).toEqual([]);
    await clock.advance(10 * 3_600_000);
    await run(client, fast);
    expect(speeds()).toEqual(['fast', undefined, undefined]);
    expect(client.fastMode()).toEqual({ state: 'off', reason: 'extra_usage_disabled' });
  });
});

describe('abort', () => {
  it.each(['before', 'while waiting', 'in the stream'])(
    '%s the request ends the call at once',
    async (when) => {
      const hang: Answer = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(sse(...HELLO.slice(0, 3)));
      };
      server = await apiServer(when === 'while waiting' ? broken500 : hang);
      const clock = skippingClock({ holdSleeps: true });
      const controller = new AbortController();
      if (when === 'before') controller.abort('stop');
      const { outcome } = await run(
        clientFor(server.url, { clock }),
        requestOf(),
        { signal: controller.signal },
        (output) => {
          if (output.kind === 'events' || output.kind === 'retry')
            setImmediate(() => controller.abort('stop'));
        },
      );
      expect(outcome.kind).toBe('aborted');
      expect(clock.pending).toBe(0);
      expect(server.received).toHaveLength(when === 'before' ? 0 : 1);
      if (when !== 'in the stream') return;
      expect(outcome.attempts).toMatchObject([
        { outcome: 'aborted', wasted: true, usage: { input_tokens: 10 } },
      ]);
      await settle();
      expect(server.openSockets).toBe(0);
    },
  );

  it('while nothing answers', async () => {
    server = await apiServer(() => {});
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const { outcome } = await run(clientFor(server.url), requestOf(), { signal: controller.signal });
    expect(outcome.kind).toBe('aborted');
  });

  it('a consumer that walks away closes the socket', async () => {
    server = await apiServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(start(), ...text(0, 'x')));
    });
    const clock = skippingClock();
    const call = clientFor(server.url, { clock }).call(requestOf(), {
      signal: new AbortController().signal,
      retry: FRESH_RETRY_STATE,
    });
    await call.next();
    await call.next();
    await call.return(undefined as never);
    await expect.poll(() => server.openSockets).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
