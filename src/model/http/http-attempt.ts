/**
 * One HTTP attempt: sends the body, yields a batch of events per read, and then its outcome. Never retries.
 */

import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { ModelOutput } from '../../protocol/model/model.ts';
import type { StreamEvent, Usage } from '../../protocol/model/wire.ts';
import type { Clock } from '../../protocol/ports.ts';
import { maskSecrets } from '../../util/text/secret-text.ts';
import { classifyAnswer, classifyTrip, cutFailure, protocolFailure } from '../retry/classify-error.ts';
import { otherApiFailure } from '../retry/other-api.ts';
import { createEventDecoder, type EventDecoder } from '../stream/decode-events.ts';
import { eventsOfAnswer } from '../stream/non-streaming-response.ts';
import { createSseReader, type SseReader } from '../stream/sse.ts';
import { createStreamWatch, type StreamTimeouts, type StreamWatch } from '../stream/stream-watch.ts';
import { bodyFormat, wrongFormat } from './body-format.ts';
import type { Connections, HttpRequest } from './connections.ts';
import { type HttpCall, type HttpStop, openHttpCall } from './http-call.ts';
import { type HttpHead, requestIdOf } from './http-head.ts';

interface AttemptInput {
  readonly connections: Connections;
  readonly request: HttpRequest;
  readonly body: readonly (Buffer | string)[];
  readonly stream: boolean;
  readonly timeouts: StreamTimeouts;
  readonly clock: Clock;
  readonly life: Life;
}

/** Times are monotonic ms of the clock. */
interface AttemptFacts {
  head?: HttpHead;
  firstByteMs?: number;
  firstContentMs?: number;
  /** `message_start` was seen. */
  started: boolean;
  usage?: Usage;
  /** The model that the response names. */
  model?: string;
}

export type AttemptEnd = { readonly facts: AttemptFacts } & (
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'aborted' }
);

type Batch = Extract<ModelOutput, { kind: 'events' }>;
type End = { readonly kind: 'complete' } | HttpStop;

const COMPLETE: End = { kind: 'complete' };
const MAX_ERROR_BYTES = 256 * 1024;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Time that a finished response may take to release its socket. */
const DRAIN_MS = 100;

export interface Attempt {
  /** The next batch; at the end, once, the outcome. */
  next(): Promise<Batch | AttemptEnd>;
  /** Returns the socket to the pool if the response is complete, else destroys it. */
  close(): void;
}

/** The events of one read, or the end. */
type ReadEvents = () => Promise<StreamEvent[] | End>;

export function openAttempt(input: AttemptInput): Attempt {
  const { clock, connections } = input;
  const startMs = clock.monotonicMs();
  const facts: AttemptFacts = { started: false };
  const call = openHttpCall(connections, input.request, input.body, input.life);
  const watch = createStreamWatch(clock, input.timeouts, input.stream, (trip) => {
    // Sockets are dead after the machine slept, pooled ones too (F40).
    if (trip.slept) connections.dropIdle();
    call.stop({ kind: 'failed', failure: classifyTrip(trip) });
  });
  const reader: Reader = { call, watch };
  let named: { readonly requestId?: string } = {};
  let decoder: EventDecoder;
  let read: ReadEvents | undefined;
  let hasEvents = false;

  function batch(events: StreamEvent[]): Batch {
    if (decoder.contentCount > 0) facts.started = decoder.started;
    if (decoder.usage !== undefined) facts.usage = decoder.usage;
    if (decoder.model !== undefined) facts.model = decoder.model;
    const isFirst = !hasEvents;
    hasEvents = true;
    if (!isFirst && (facts.firstContentMs !== undefined || decoder.blockCount === 0))
      return { kind: 'events', events, ...named };
    const nowMs = clock.monotonicMs();
    if (decoder.blockCount > 0) facts.firstContentMs ??= nowMs;
    return { kind: 'events', events, ...(isFirst && { ttftMs: nowMs - startMs }), ...named };
  }

  return {
    async next() {
      if (read === undefined) {
        const head = await readHead(reader);
        if ('kind' in head) return { ...masked(head, input), facts };
        facts.head = head;
        facts.firstByteMs = clock.monotonicMs();
        decoder = createEventDecoder(head);
        const requestId = requestIdOf(head);
        if (requestId !== undefined) named = { requestId };
        read = readerOf(reader, head, decoder, clock);
      }
      const got = await read();
      return Array.isArray(got) ? batch(got) : { ...masked(got, input), facts };
    },
    close() {
      watch.end();
      call.close();
    },
  };
}

/**
 * Endpoints and proxies may repeat the request in errors: credentials are masked before a failure is shown
 * and kept.
 */
function masked<E extends End>(end: E, { request: { headers } }: AttemptInput): E {
  if (end.kind !== 'failed') return end;
  const secrets = Object.entries(headers).flatMap(([name, value]) =>
    /auth|key|token|secret|cookie|pass|cred/i.test(name) ? String(value).replace(/^Bearer /, '') : [],
  );
  return { ...end, failure: { ...end.failure, message: maskSecrets(end.failure.message, secrets) } };
}

interface Reader {
  readonly call: HttpCall;
  readonly watch: StreamWatch;
}

/** Waits for a change, within the time limits. */
function change({ call, watch }: Reader): Promise<void> {
  watch.begin();
  return call.changed().then(() => watch.pause());
}

async function readHead(reader: Reader): Promise<HttpHead | HttpStop> {
  const { call, watch } = reader;
  while (call.head === undefined) {
    if (call.stopped !== undefined) return call.stopped;
    if (call.connected) watch.connected();
    await change(reader);
  }
  watch.gotHeaders();
  return call.head;
}

/** The reader for this response. */
function readerOf(reader: Reader, head: HttpHead, decoder: EventDecoder, clock: Clock): ReadEvents {
  if (head.status !== 200) {
    return async () => {
      const { text, stop } = await readText(reader, MAX_ERROR_BYTES);
      return stop?.kind === 'aborted' ? stop : failed(classifyAnswer(head, text, clock.nowMs()));
    };
  }
  const format = bodyFormat(head.headers);
  if (format.kind === 'wrong') return async () => failed(wrongFormat(format.what, head));
  return format.kind === 'events'
    ? streamReader(reader, head, decoder, clock)
    : wholeReader(reader, head, decoder, clock);
}

function wholeReader(reader: Reader, head: HttpHead, decoder: EventDecoder, clock: Clock): ReadEvents {
  let end: End | undefined;
  return async () => {
    if (end !== undefined) return end;
    const { text, stop } = await readText(reader, MAX_ANSWER_BYTES);
    if (stop?.kind === 'aborted') return stop;
    if (stop !== undefined) return brokenOff(stop, head);
    const events: StreamEvent[] = [];
    const failure = readWhole(text, head, decoder, events, clock);
    end = failure === undefined ? COMPLETE : failed(failure);
    return events.length > 0 ? events : end;
  };
}

/** A batch per read, until `message_stop`. */
function streamReader(reader: Reader, head: HttpHead, decoder: EventDecoder, clock: Clock): ReadEvents {
  const { call, watch } = reader;
  const sse = createSseReader();
  let empty = true;
  let failure: ModelFailure | undefined;
  return async () => {
    while (true) {
      if (failure !== undefined) return failed(failure);
      if (decoder.stopped) {
        await drain(call, clock);
        return COMPLETE;
      }
      if (call.stopped?.kind === 'aborted') return call.stopped;
      const chunks = call.take();
      if (chunks.length === 0) {
        if (call.stopped !== undefined) return brokenOff(call.stopped, head);
        if (call.ended) {
          if (empty) return failed(protocolFailure('The answer is empty.', head, true));
          return failed(cutFailure(head, undefined));
        }
        await change(reader);
        continue;
      }
      empty = false;
      watch.gotByte();
      const before = decoder.contentCount;
      const events: StreamEvent[] = [];
      for (const chunk of chunks) failure ??= decodeChunk(chunk, sse, decoder, events, head);
      if (decoder.contentCount > before) watch.gotContent(decoder.thinkingOpen());
      if (events.length > 0) return events;
    }
  };
}

function decodeChunk(
  chunk: Buffer,
  sse: SseReader,
  decoder: EventDecoder,
  into: StreamEvent[],
  head: HttpHead,
): ModelFailure | undefined {
  const data = sse.push(chunk);
  if (data === undefined) return protocolFailure('An event of the stream is too large.', head);
  return decoder.decode(data, into);
}

/** Waits for the end of the body, so that the next request finds this socket in the pool. */
async function drain(call: HttpCall, clock: Clock): Promise<void> {
  if (call.ended) return;
  const cancel = clock.timer(DRAIN_MS, () => call.stop({ kind: 'aborted' }));
  while (!call.ended && call.stopped === undefined) {
    await call.changed();
    call.take();
  }
  cancel();
}

/** The body as text, and why it is incomplete. */
async function readText(reader: Reader, maxBytes: number): Promise<{ text: string; stop?: HttpStop }> {
  const { call, watch } = reader;
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (true) {
    for (const chunk of call.take()) {
      watch.gotByte();
      watch.gotContent(false);
      chunks.push(chunk);
      bytes += chunk.length;
    }
    const text = () => Buffer.concat(chunks).toString('utf8');
    if (call.stopped !== undefined) return { text: text(), stop: call.stopped };
    if (call.ended || bytes > maxBytes) return { text: text() };
    await change(reader);
  }
}

function readWhole(
  text: string,
  head: HttpHead,
  decoder: EventDecoder,
  into: StreamEvent[],
  clock: Clock,
): ModelFailure | undefined {
  if (text.trim() === '') return protocolFailure('The answer is empty.', head, true);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return protocolFailure('The answer is not JSON.', head, true);
  }
  const events = eventsOfAnswer(answer);
  if (events === undefined) return otherApiFailure(answer, head) ?? classifyAnswer(head, text, clock.nowMs());
  for (const event of events) {
    const failure = decoder.accept(event, into);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failed(failure: ModelFailure): End {
  return { kind: 'failed', failure };
}

/** A connection that fails after the headers is a truncated response; a time-out keeps its own kind. */
function brokenOff(stop: HttpStop, head: HttpHead): End {
  if (stop.kind === 'aborted' || stop.failure.kind !== 'connection') return stop;
  return failed(cutFailure(head, stop.failure.cause));
}
