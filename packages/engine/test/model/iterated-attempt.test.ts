/** Attempts of clients that do their own HTTP: the limits, facts and masks of those over our own sockets. */

import { HELLO, start, stop, text } from '@turnwright/test/model/api-server.ts';
import { settle, skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { toLife } from '../../src/model/life-of.ts';
import { createEventDecoder } from '../../src/model/stream/decode-events.ts';
import { type IteratedAnswer, openIteratedAttempt } from '../../src/model/stream/iterated-attempt.ts';
import { DEFAULT_TIMEOUTS } from '../../src/model/stream/stream-watch.ts';
import type { Attempt, AttemptEnd } from '../../src/protocol/model/provider-wire.ts';
import type { StreamEvent } from '../../src/protocol/model/wire.ts';

const HEAD = { status: 200, headers: { 'request-id': 'req_1' } };

async function* streamed(events: readonly unknown[], end: unknown = undefined) {
  for (const event of events) yield event;
  if (end !== undefined) throw end;
}

async function* silent(events: readonly unknown[], signal: AbortSignal) {
  yield* events;
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
}

let controller = new AbortController();
afterEach(() => {
  controller = new AbortController();
});

function attempt(send: (signal: AbortSignal) => Promise<IteratedAnswer>, clock = skippingClock()): Attempt {
  return openIteratedAttempt({
    send,
    createDecoder: createEventDecoder,
    classify: (error) => ({ kind: 'connection', message: String(error), cause: error }),
    secrets: ['s3cret-token'],
    stream: true,
    timeouts: DEFAULT_TIMEOUTS,
    clock,
    life: toLife(controller.signal),
  });
}

async function whole(given: Attempt) {
  const events: StreamEvent[] = [];
  for (;;) {
    const step = await given.next();
    if (step.kind !== 'events') {
      given.close();
      return { events, end: step as AttemptEnd };
    }
    events.push(...step.events);
  }
}

describe('an attempt of an iterable', () => {
  it('hands over the events in order, and the facts of the answer', async () => {
    const { events, end } = await whole(attempt(async () => ({ head: HEAD, events: streamed(HELLO) })));
    expect(events.map(({ type }) => type)).toEqual(HELLO.map((event) => (event as { type: string }).type));
    expect(end).toMatchObject({
      kind: 'complete',
      facts: { started: true, model: 'claude-sonnet-5', usage: { input_tokens: 10, output_tokens: 7 } },
    });
  });

  it('hands over an answer that came whole as one batch', async () => {
    const given = attempt(async () => ({ head: HEAD, events: HELLO }));
    expect(await given.next()).toMatchObject({ kind: 'events', requestId: 'req_1', ttftMs: 0 });
    expect(await given.next()).toMatchObject({ kind: 'complete' });
  });

  it('an error before the answer is what the client makes of it, with credentials masked', async () => {
    const { end } = await whole(attempt(() => Promise.reject(new Error('refused s3cret-token'))));
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'connection' }, facts: { started: false } });
    expect(JSON.stringify(end)).toContain('refused');
    expect('failure' in end && end.failure.message).not.toContain('s3cret-token');
  });

  it('a connection that fails inside the answer cuts it', async () => {
    const events = streamed([start(), ...text(0, 'Half')], new Error('reset'));
    const { end } = await whole(attempt(async () => ({ head: HEAD, events })));
    expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'cut' }, facts: { started: true } });
  });

  it.each([
    ['nothing', [], 'protocol'],
    ['no end', [start(), ...text(0, 'Half')], 'cut'],
    ['events out of order', [...stop()], 'protocol'],
  ])('an answer with %s is a failure', async (_what, events, kind) => {
    const { end } = await whole(attempt(async () => ({ head: HEAD, events: streamed(events) })));
    expect(end).toMatchObject({ kind: 'failed', failure: { kind } });
  });

  it('silence beyond the limit ends it, and the client hears of it', async () => {
    const clock = skippingClock();
    let signal: AbortSignal | undefined;
    const given = attempt(async (given) => {
      signal = given;
      return { head: HEAD, events: silent([start()], given) };
    }, clock);
    expect(await given.next()).toMatchObject({ kind: 'events' });
    const next = given.next();
    await settle();
    await clock.advance(DEFAULT_TIMEOUTS.idleMs);
    expect(await next).toMatchObject({ kind: 'failed', failure: { kind: 'stalled' } });
    expect(signal?.aborted).toBe(true);
  });

  it.each(['send', 'read'])('abort ends it at once while it waits to %s', async (phase) => {
    let signal: AbortSignal | undefined;
    const given = attempt((given) => {
      signal = given;
      return phase === 'send'
        ? new Promise(() => {})
        : Promise.resolve({ head: HEAD, events: silent([], given) });
    });
    const next = given.next();
    await settle();
    controller.abort();
    expect(await next).toMatchObject({ kind: 'aborted' });
    expect(signal?.aborted).toBe(true);
  });
});
