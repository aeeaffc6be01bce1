/** What calls of one process share: the wait of a rate limit, and the patience of unattended calls. */

import { startHouseServer } from '@turnwright/test/consumer/own-wire/house-server.ts';
import { houseWire } from '@turnwright/test/consumer/own-wire/house-wire.ts';
import { clientFor, failureOf, requestOf, run } from '@turnwright/test/model/conversation.ts';
import { settle, skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { startMessagesServer } from '@turnwright/test/model/wires/messages-server.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createOwnClient } from '../../src/model/own-wire.ts';

let server: WireServer;
beforeEach(async () => {
  server = await startMessagesServer();
});
afterEach(() => server.close());

const HELLO = { kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] } as const;
const limited = (seconds: number) =>
  ({ kind: 'refusal', reason: 'rate_limited', headers: { 'retry-after': String(seconds) } }) as const;
const OVERLOADED = { kind: 'refusal', reason: 'overloaded' } as const;

describe('F58 a rate limit that one call has met', () => {
  it('holds up every other call with the same key, of other clients too, and none is refused', async () => {
    const clock = skippingClock({ holdSleeps: true });
    const clients = Array.from({ length: 10 }, () => clientFor(server.url, { clock }));
    server.answerWith(limited(7), ...clients.map(() => HELLO));
    const [first, ...others] = clients;
    const calls = [run(first as (typeof clients)[0])];
    while (clock.sleeps.length === 0) await settle();
    calls.push(...others.map((client) => run(client)));
    await clock.advance(6_999);
    expect(server.received).toHaveLength(1);
    await clock.advance(1);
    const ran = await Promise.all(calls);
    expect(ran.map(({ outcome }) => outcome.kind)).toEqual(clients.map(() => 'complete'));
    expect(server.received).toHaveLength(11);
    expect(ran.map(({ outcome }) => outcome.retry.retries)).toEqual([1, ...others.map(() => 0)]);
    expect(ran.slice(1).map(({ notices }) => notices.map(({ status }) => status))).toEqual(
      others.map(() => [429]),
    );
  });

  it('holds up no call with another key', async () => {
    const clock = skippingClock({ holdSleeps: true });
    server.answerWith(limited(7), HELLO, HELLO);
    const held = run(clientFor(server.url, { clock }));
    while (clock.sleeps.length === 0) await settle();
    const { outcome } = await run(clientFor(server.url, { clock, apiKey: 'sk-other' }));
    expect(outcome.kind).toBe('complete');
    await clock.advance(7_000);
    expect((await held).outcome.kind).toBe('complete');
  });

  it('holds up no call of another provider, where neither has an address', async () => {
    const clock = skippingClock({ holdSleeps: true });
    const [one, other] = await Promise.all([startHouseServer(), startHouseServer()]);
    onTestFinished(() => Promise.all([one.close(), other.close()]).then(() => {}));
    const clientOf = (provider: string, { url }: WireServer) =>
      createOwnClient(houseWire(url), { clock, random: () => 0, provider });
    one.answerWith(limited(7), HELLO);
    other.answerWith(HELLO);
    const held = run(clientOf('one', one));
    while (clock.sleeps.length === 0) await settle();
    expect((await run(clientOf('other', other))).outcome.kind).toBe('complete');
    await clock.advance(7_000);
    expect((await held).outcome.kind).toBe('complete');
  });

  it('is left by a call that is aborted while it waits for it', async () => {
    const clock = skippingClock({ holdSleeps: true });
    server.answerWith(limited(7), HELLO);
    const held = run(clientFor(server.url, { clock }));
    while (clock.sleeps.length === 0) await settle();
    const controller = new AbortController();
    const left = run(clientFor(server.url, { clock }), requestOf(), { signal: controller.signal });
    while (clock.sleeps.length === 1) await settle();
    controller.abort();
    expect((await left).outcome).toMatchObject({ kind: 'aborted', attempts: [] });
    await clock.advance(7_000);
    expect((await held).outcome.kind).toBe('complete');
  });
});

describe('F50 twenty minutes of overload', () => {
  const busy = Array.from({ length: 200 }, () => OVERLOADED);

  it('an unattended call survives, and shows every wait', async () => {
    const clock = skippingClock();
    server.answerWith(...busy);
    const { outcome, notices } = await run(
      clientFor(server.url, { clock, persistentRetry: true }),
      requestOf(),
      {},
      () => {
        if (clock.monotonicMs() >= 20 * 60_000) server.answerWith(HELLO);
      },
    );
    expect(outcome.kind).toBe('complete');
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(20 * 60_000);
    expect(Math.max(...clock.sleeps)).toBeLessThanOrEqual(30_000);
    expect(notices.length).toBe(clock.sleeps.length);
    expect(new Set(notices.map(({ status }) => status))).toEqual(new Set([529]));
  });

  it('an attended call gives up at its own limit', async () => {
    const clock = skippingClock();
    server.answerWith(...busy);
    const { outcome } = await run(clientFor(server.url, { clock }));
    expect(failureOf(outcome).kind).toBe('overloaded');
    expect(server.received).toHaveLength(11);
    expect(clock.monotonicMs()).toBeLessThan(20 * 60_000);
  });
});

describe('F57 a quota that is used up until a known time', () => {
  const RESET_MS = 2 * 3_600_000;
  const quota = (nowMs: number) =>
    ({
      kind: 'refusal',
      reason: 'rate_limited',
      headers: { 'anthropic-ratelimit-unified-reset': String((nowMs + RESET_MS) / 1000) },
    }) as const;

  it('an unattended call waits for it, shows the time that is left, and goes on exactly once', async () => {
    const clock = skippingClock();
    server.answerWith(quota(clock.nowMs()), HELLO);
    const { outcome, notices } = await run(clientFor(server.url, { clock, persistentRetry: true }));
    expect(outcome.kind).toBe('complete');
    expect(server.received).toHaveLength(2);
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(RESET_MS);
    const left = notices.map(({ delayMs }) => delayMs);
    expect(left[0]).toBeGreaterThanOrEqual(RESET_MS);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
  });

  it('the wait ends with the call', async () => {
    const clock = skippingClock({ holdSleeps: true });
    server.answerWith(quota(clock.nowMs()), HELLO);
    const controller = new AbortController();
    const call = run(clientFor(server.url, { clock, persistentRetry: true }), requestOf(), {
      signal: controller.signal,
    });
    while (clock.sleeps.length === 0) await settle();
    controller.abort();
    expect((await call).outcome.kind).toBe('aborted');
    expect(server.received).toHaveLength(1);
  });
});

describe('a credential that grows old', () => {
  it('is renewed before the next call, once for all calls', async () => {
    const clock = skippingClock();
    let renewals = 0;
    const client = clientFor(server.url, {
      clock,
      credentialTtlMs: 60_000,
      credentials: async () => ({ apiKey: `key-${++renewals}` }),
    });
    server.answerWith(HELLO, HELLO, HELLO);
    await run(client);
    await clock.advance(60_000);
    await Promise.all([run(client), run(client)]);
    expect(server.received.map(({ credential }) => credential)).toEqual(['sk-test', 'key-1', 'key-1']);
  });
});
