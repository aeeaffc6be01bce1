/**
 * R7: what is waited for, how often, and what is counted, for statuses and headers of a server; on a virtual clock. And
 * answers that are none: each ends in a failure with a kind.
 */
import { gzipSync } from 'node:zlib';
import { seededRandom } from '@turnwright/testing';
import {
  type Answer,
  apiServer,
  EVENT_STREAM,
  HELLO,
  hello,
  refuses,
  sse,
  start,
  streams,
  text,
} from '../../model/api-server.ts';
import { clientFor, failureOf, run } from '../../model/conversation.ts';
import { skippingClock } from '../../model/skipping-clock.ts';
import { row } from '../row.ts';

const RETRIED: readonly (readonly [status: number, type: string])[] = [
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
  [503, 'api_error'],
  [500, 'api_error'],
  [408, 'timeout_error'],
];
const SURFACED = 'surfaced';
const BACKOFF = 'back-off';
/** `retry-after`, and what becomes of it. */
const HEADERS: readonly (readonly [
  value: string | undefined,
  wait: number | typeof SURFACED | typeof BACKOFF,
])[] = [
  [undefined, BACKOFF],
  ['0', BACKOFF],
  ['-5', BACKOFF],
  ['NaN', BACKOFF],
  ['Wed, 21 Oct 2015 07:28:00 GMT', BACKOFF],
  ['1', 1000],
  ['2.5', 2500],
  [new Date(Date.UTC(2026, 10, 1) + 20_000).toUTCString(), 20_000],
  ['300', 300_000],
  ['301', SURFACED],
  ['3600', SURFACED],
  // 2^31 ms and more overflow a timer.
  ['2147484', SURFACED],
  ['99999999', SURFACED],
];
const MAX_ATTEMPTS = 11;
const LONGEST_WAIT_MS = 375_000;

row('R7', async ({ figures, size, seed }) => {
  const wrongWaits: string[] = [];
  const tooMany: string[] = [];
  const overflows: string[] = [];
  let cases = 0;
  for (const [status, type] of RETRIED)
    for (const [value, wait] of HEADERS) {
      cases++;
      const what = `${status} with retry-after ${value}`;
      const server = await apiServer(
        refuses(status, type, 'Later', value === undefined ? {} : { 'retry-after': value }),
        hello,
      );
      const clock = skippingClock();
      const { outcome } = await run(clientFor(server.url, { clock, random: () => 0 }));
      const waits = wait === SURFACED ? [] : wait === BACKOFF ? [500] : [wait];
      const slept = clock.sleeps.map(Math.round);
      if (JSON.stringify(slept) !== JSON.stringify(waits)) wrongWaits.push(`${what}: waited ${slept}`);
      if ((outcome.kind === 'complete') !== (wait !== SURFACED)) wrongWaits.push(`${what}: ${outcome.kind}`);
      if (clock.sleeps.some((ms) => ms > LONGEST_WAIT_MS)) overflows.push(what);
      await server.close();
    }

  const spread = new Set<number>();
  const calls = size(20, 200);
  for (let n = 0; n < calls; n++) {
    const [status, type] = RETRIED[n % RETRIED.length] as readonly [number, string];
    const server = await apiServer(refuses(status, type, 'Never'));
    const clock = skippingClock();
    const { outcome } = await run(clientFor(server.url, { clock, random: seededRandom(seed + n) }));
    if (server.received.length > MAX_ATTEMPTS || outcome.kind === 'complete')
      tooMany.push(`${status}: ${server.received.length} requests`);
    clock.sleeps.forEach((ms, index) => {
      const base = Math.min(500 * 2 ** index, 32_000);
      if (ms < base || ms > base * 1.25) wrongWaits.push(`wait ${index} of ${status} is ${ms} ms`);
    });
    spread.add(Math.round(clock.sleeps[0] ?? 0));
    await server.close();
  }

  const uncounted = await costsCountedTwice();
  const { untyped, silent, garbage } = await garbageAnswers();
  figures.atLeast('cases of status and header', cases, 40);
  figures.none('waits that are not as the server or the back-off says', wrongWaits);
  figures.none(`calls with more than ${MAX_ATTEMPTS} requests`, tooMany);
  figures.none('waits that overflow a timer', overflows);
  figures.share('first waits that differ (jitter)', spread.size, calls, size(60, 40));
  figures.none('answers whose usage is counted more than once', uncounted);
  figures.atLeast('answers that are none: HTML, empty, garbage', garbage, 9);
  figures.none('of these, taken for an answer', silent);
  figures.none('of these, failures without a kind and a sentence', untyped);
});

/** Usage comes in several events, each with the sum so far. */
async function costsCountedTwice(): Promise<string[]> {
  const delta = (output_tokens: number) => ({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { output_tokens },
  });
  const wrong: string[] = [];
  for (const sums of [[7], [3, 7], [1, 2, 7], [7, 7, 7]]) {
    const broken = refuses(529, 'overloaded_error', 'Later');
    const whole = streams(start(), ...text(0, 'x'), ...sums.map(delta), { type: 'message_stop' });
    const server = await apiServer(broken, whole);
    const { outcome } = await run(clientFor(server.url, { clock: skippingClock() }));
    const used = outcome.attempts.reduce((sum, { usage }) => sum + (usage?.output_tokens ?? 0), 0);
    if (used !== 7) wrong.push(`${sums}: ${used}`);
    await server.close();
  }
  return wrong;
}

async function garbageAnswers() {
  const body =
    (bytes: string | Buffer, headers: Record<string, string>): Answer =>
    (response) => {
      response.writeHead(200, headers);
      response.end(bytes);
    };
  const html = { 'content-type': 'text/html' };
  const zipped = { ...EVENT_STREAM, 'content-encoding': 'gzip' };
  const answers: Record<string, Answer> = {
    'an HTML page': body('<!doctype html><title>Log in</title>', html),
    'an HTML page as an event stream': body('<!doctype html><title>Log in</title>', EVENT_STREAM),
    'an empty body': body('', EVENT_STREAM),
    'an empty body without a type': body('', {}),
    'an empty JSON body': body('', { 'content-type': 'application/json' }),
    'a compressed answer': body(gzipSync(sse(...HELLO)), zipped),
    'garbage that says it is compressed': body('xxxx', zipped),
    'compressed bytes that do not say so': body(gzipSync(sse(...HELLO)), EVENT_STREAM),
    'a cut compressed answer': body(gzipSync(sse(...HELLO)).subarray(0, 40), zipped),
    'UTF-16': body(Buffer.from(sse(...HELLO), 'utf16le'), {
      'content-type': 'text/event-stream; charset=utf-16',
    }),
    zeros: body(Buffer.alloc(4096), EVENT_STREAM),
    'JSON of something else': body('{"ok":true}', { 'content-type': 'application/json' }),
    'no content': (response) => void response.writeHead(204).end(),
  };
  const untyped: string[] = [];
  const silent: string[] = [];
  for (const [name, answer] of Object.entries(answers)) {
    const server = await apiServer(answer);
    const { outcome, events } = await run(clientFor(server.url, { clock: skippingClock(), maxRetries: 0 }));
    if (outcome.kind === 'complete') silent.push(`${name}: ${events.length} events`);
    else if (failureOf(outcome).kind === undefined || failureOf(outcome).message.length < 10)
      untyped.push(`${name}: ${JSON.stringify(outcome).slice(0, 200)}`);
    await server.close();
  }
  return { untyped, silent, garbage: Object.keys(answers).length };
}
