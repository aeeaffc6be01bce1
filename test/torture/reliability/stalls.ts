/**
 * R6: streams of every wire that stop, that send only pings, that drip, and healthy ones that think for long. The right
 * timer ends the call at the right time, on a virtual clock.
 */
import type { ServerResponse } from 'node:http';
import { FRESH_RETRY_STATE, type ModelOutcome } from '@turnwright/engine/protocol/model/model.ts';
import type { MessageAnswer } from '@turnwright/testing';
import { requestFor } from '@turnwright/testing/checks/model/opened-model.ts';
import { apiServer, EVENT_STREAM, sse, start, stop, text } from '../../model/api-server.ts';
import { clientFor, requestOf, run } from '../../model/conversation.ts';
import { type SkippingClock, settle, skippingClock } from '../../model/skipping-clock.ts';
import { type OpenedWire, WIRES } from '../../model/wires/open-wires.ts';
import { row } from '../row.ts';

const ANSWER: MessageAnswer = {
  kind: 'message',
  parts: [
    { kind: 'text', text: 'I change it. Grüße.' },
    { kind: 'call', id: 'call_1', name: 'Change', input: { path: 'a/b.ts', text: 'x' } },
  ],
};
const HEADERS_MS = 360_000;
const IDLE_MS = 90_000;
const CONTENT_MS = 600_000;
const THINKING_MS = 1_800_000;
/**
 * The packages of the AI SDK hand a stream over when its first event of output is whole, as they throw an error that
 * comes before it: until then there is no answer yet.
 */
const EVENTS_BEFORE_OUTPUT: Readonly<Partial<Record<keyof typeof WIRES, number>>> = {
  'AI SDK instance (chat completions)': 1,
  'AI SDK instance (responses)': 2,
};
/** A timer may be this late. */
const LATE_MS = 1000;

row('R6', async ({ figures, size, random }) => {
  const early: string[] = [];
  const late: string[] = [];
  const wrong: string[] = [];
  let stalls = 0;
  const wires = Object.keys(WIRES) as (keyof typeof WIRES)[];

  /** The call must run until just before the limit, and end with a stall just behind it. */
  const expectEnd = async (what: string, call: Watched, limitMs: number, kinds: readonly string[]) => {
    stalls++;
    await call.clock.advance(limitMs - LATE_MS);
    await caughtUp();
    if (call.outcome() !== undefined) early.push(`${what}: ${JSON.stringify(call.outcome())?.slice(0, 200)}`);
    await call.clock.advance(2 * LATE_MS);
    for (let turn = 0; turn < 100 && call.outcome() === undefined; turn++) await caughtUp();
    const outcome = call.outcome();
    if (outcome === undefined) late.push(what);
    else if (!('failure' in outcome) || !kinds.includes(outcome.failure.kind))
      wrong.push(`${what}: ${JSON.stringify(outcome).slice(0, 200)}`);
    call.stop();
    await caughtUp();
  };

  for (const name of wires) {
    const places = Array.from({ length: size(3, 40) }, () => random());
    for (const [index, place] of places.entries()) {
      let wholeEvents = 0;
      const call = await open(name, (response, body) => {
        if (index === 0) return response.flushHeaders();
        const written = body.subarray(0, 1 + Math.floor(place * (body.length - 2)));
        wholeEvents = written.toString('latin1').split('\n\n').length - 1;
        response.write(written);
      });
      const isHidden = wholeEvents <= (EVENTS_BEFORE_OUTPUT[name] ?? -1);
      await expectEnd(
        `${name}, silence behind ${index === 0 ? 'the head' : place}`,
        call,
        isHidden ? HEADERS_MS : IDLE_MS,
        isHidden ? ['timeout', 'stalled'] : ['stalled'],
      );
      await call.dispose();
    }
    const silent = await open(name, undefined);
    await expectEnd(`${name}, no head`, silent, HEADERS_MS, ['timeout', 'stalled']);
    await silent.dispose();
  }

  const unhealthy = { early, late, wrong };
  const healthy = await pingsAndDrips(unhealthy, size(2, 20));
  figures.atLeast('wires', wires.length, 9);
  figures.atLeast('streams that stall', stalls + healthy.stalls, size(35, 380));
  figures.atLeast('healthy streams: 15 to 29 minutes of thinking, 1 byte in 10 s', healthy.fine, size(4, 40));
  figures.none('calls that were ended too early', early);
  figures.none(`calls that were not ended within ${LATE_MS} ms of their limit`, late);
  figures.none('calls that ended in another way', wrong);
});

interface Watched {
  readonly clock: SkippingClock;
  /** undefined while it runs. */
  outcome(): ModelOutcome | undefined;
  stop(): void;
  dispose(): Promise<void>;
}

/** A call to a wire whose server writes like this; undefined: it writes nothing, no head either. */
async function open(
  name: keyof typeof WIRES,
  write: ((response: ServerResponse, body: Buffer) => void) | undefined,
): Promise<Watched> {
  const clock = skippingClock();
  const opened: OpenedWire = await WIRES[name]({ clock, random: () => 0, maxRetries: 0 });
  opened.server.answerWith(write === undefined ? { kind: 'silence' } : ANSWER);
  let isWritten = write === undefined;
  opened.server.writeBodiesWith((response, body) => {
    write?.(response, body);
    isWritten = true;
  });
  const controller = new AbortController();
  let outcome: ModelOutcome | undefined;
  const running = (async () => {
    const call = opened.client.call(requestFor(opened.model), {
      retry: FRESH_RETRY_STATE,
      signal: controller.signal,
    });
    for (;;) {
      const step = await call.next();
      if (step.done) return step.value;
    }
  })().then((value) => {
    outcome = value;
  });
  for (let turn = 0; turn < 5000 && (opened.server.received.length === 0 || !isWritten); turn++)
    await settle();
  await caughtUp();
  return {
    clock,
    outcome: () => outcome,
    stop: () => controller.abort(),
    async dispose() {
      await running;
      await opened.dispose();
    },
  };
}

/** Sockets have delivered what was written: they are real, and take real time. */
async function caughtUp(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (let turn = 0; turn < 10; turn++) await settle();
}

/** Streams that are not silent, on the wire whose pings are defined by its API. */
async function pingsAndDrips(
  { early, late, wrong }: Record<'early' | 'late' | 'wrong', string[]>,
  each: number,
): Promise<{ readonly stalls: number; readonly fine: number }> {
  const thinking = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  };
  let stalls = 0;
  let fine = 0;
  const pinging = async (
    what: string,
    first: readonly object[],
    everyMs: number,
    minutes: number,
    endsAfterMs: number,
  ) => {
    let response: ServerResponse | undefined;
    const server = await apiServer((answering) => {
      response = answering;
      answering.writeHead(200, EVENT_STREAM);
      answering.write(sse(...first));
    });
    const clock = skippingClock();
    let outcome: ModelOutcome | undefined;
    const ran = run(clientFor(server.url, { clock, maxRetries: 0 }), requestOf()).then((done) => {
      outcome = done.outcome;
    });
    while (response === undefined) await settle();
    await caughtUp();
    let endedAfterMs = Number.POSITIVE_INFINITY;
    for (let passed = everyMs; passed <= minutes * 60_000 && outcome === undefined; passed += everyMs) {
      await clock.advance(everyMs);
      response.write(sse({ type: 'ping' }));
      for (let turn = 0; turn < 8; turn++) await settle();
      endedAfterMs = passed;
    }
    if (minutes * 60_000 < endsAfterMs) {
      fine++;
      if (outcome !== undefined) early.push(what);
      response.end(sse({ type: 'content_block_stop', index: 0 }, ...text(1, 'Done.'), ...stop()));
      await ran;
      if (outcome?.kind !== 'complete') wrong.push(`${what}: ${JSON.stringify(outcome)?.slice(0, 200)}`);
    } else {
      stalls++;
      if (outcome === undefined || endedAfterMs > endsAfterMs + everyMs)
        late.push(`${what}: ${endedAfterMs} ms`);
      else if (endedAfterMs < endsAfterMs) early.push(`${what}: ${endedAfterMs} ms`);
      else if (!('failure' in outcome) || outcome.failure.kind !== 'stalled') wrong.push(what);
    }
    await server.close();
  };
  for (let n = 0; n < each; n++) {
    const everyMs = 20_000 + n * 3000;
    await pinging(
      `pings only, every ${everyMs} ms`,
      [start(), text(0, 'x')[0] as object],
      everyMs,
      12,
      CONTENT_MS,
    );
    await pinging(
      `endless thinking, pings every ${everyMs} ms`,
      [start(), thinking],
      everyMs,
      33,
      THINKING_MS,
    );
    await pinging(
      `thinking for ${15 + (n % 14)} minutes`,
      [start(), thinking],
      everyMs,
      15 + (n % 14),
      THINKING_MS,
    );
    await drip();
    fine++;
  }

  /** One byte in ten seconds, so that an event takes minutes: slow, and alive. */
  async function drip(): Promise<void> {
    let response: ServerResponse | undefined;
    const server = await apiServer((answering) => {
      response = answering;
      answering.writeHead(200, EVENT_STREAM);
      answering.write(sse(start()));
    });
    const clock = skippingClock();
    let outcome: ModelOutcome | undefined;
    const ran = run(clientFor(server.url, { clock, maxRetries: 0 }), requestOf()).then((done) => {
      outcome = done.outcome;
    });
    while (response === undefined) await settle();
    await caughtUp();
    // Without names of events, an event of text has some 100 bytes: 1,000 s would be above the limit of content.
    const bytes = Buffer.from(
      [...text(0, ...'Hey'), ...stop()].map((event) => `data:${JSON.stringify(event)}\n\n`).join(''),
    );
    for (let at = 0; at < bytes.length && outcome === undefined; at += 2) {
      await clock.advance(10_000);
      response.write(bytes.subarray(at, at + 2));
      for (let turn = 0; turn < 4; turn++) await settle();
    }
    response.end();
    await ran;
    if (outcome?.kind !== 'complete') early.push(`drip: ${JSON.stringify(outcome)?.slice(0, 200)}`);
    await server.close();
  }
  return { stalls, fine };
}
