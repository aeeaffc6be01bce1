/**
 * One HTTP attempt: sends the body, yields a batch of events per read, and then its outcome. Never retries.
 */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { Connections, HttpRequest } from '@turnwright/base/http/connections.ts';
import { maskSecrets } from '@turnwright/base/text/secret-text.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { Attempt, AttemptEnd, HttpHead, StreamTimeouts } from '../../protocol/model/provider-wire.ts';
import type { StreamEvent } from '../../protocol/model/wire.ts';
import type { Clock } from '../../protocol/ports.ts';
import { classifyTrip, cutFailure, protocolFailure } from '../retry/classify-error.ts';
import { createAnswerBatches } from '../stream/answer-batches.ts';
import type { EventDecoder } from '../stream/decode-events.ts';
import { createSseReader, type SseReader } from '../stream/sse.ts';
import { createStreamWatch, type StreamWatch } from '../stream/stream-watch.ts';
import { bodyFormat, wrongFormat } from './body-format.ts';
import { type HttpCall, type HttpStop, openHttpCall } from './http-call.ts';

interface AttemptInput {
  readonly connections: Connections;
  readonly request: HttpRequest;
  readonly body: readonly (Buffer | string)[];
  readonly stream: boolean;
  readonly timeouts: StreamTimeouts;
  readonly clock: Clock;
  readonly life: Life;
  readonly api: AnswerApi;
}

/** How an API words its answers: as server-sent events, as one JSON object, and as errors. */
export interface AnswerApi {
  /** As errors name it: `the Messages API`. */
  readonly name: string;
  createDecoder(head: HttpHead): EventDecoder;
  /** For events in another framing than server-sent events. */
  readonly framing?: { readonly contentType: string; createReader(): SseReader };
  /**
   * The events of an answer that came as one JSON object, each of which the decoder accepts. A failure: it is
   * of another API. undefined: it is an error, which `classify` reads.
   */
  eventsOf(answer: unknown, head: HttpHead): readonly unknown[] | ModelFailure | undefined;
  /** The failure of a response with an error status, or of a 200 whose JSON is an error. */
  classify(head: HttpHead, text: string, nowMs: number): ModelFailure | Promise<ModelFailure>;
}

type End = { readonly kind: 'complete' } | HttpStop;

const COMPLETE: End = { kind: 'complete' };
const MAX_ERROR_BYTES = 256 * 1024;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Time that a finished response may take to release its socket. */
const DRAIN_MS = 100;

/** The events of one read, or the end. */
type ReadEvents = () => Promise<StreamEvent[] | End>;

/** Its `close` returns the socket to the pool if the response is complete, else destroys it. */
export function openHttpAttempt(input: AttemptInput): Attempt {
  const { api, clock, connections } = input;
  const batches = createAnswerBatches(clock, clock.monotonicMs());
  const call = openHttpCall(connections, input.request, input.body, input.life);
  const watch = createStreamWatch(clock, input.timeouts, input.stream, (trip) => {
    // Sockets are dead after the machine slept, pooled ones too (F40).
    if (trip.slept) connections.dropIdle();
    call.stop({ kind: 'failed', failure: classifyTrip(trip) });
  });
  const reader: Reader = { call, watch, clock, api };
  let read: ReadEvents | undefined;
  const ended = (end: End): AttemptEnd => ({ facts: batches.facts, ...masked(end, input) });

  return {
    async next() {
      if (read === undefined) {
        const head = await readHead(reader);
        if ('kind' in head) return ended(head);
        const decoder = api.createDecoder(head);
        batches.begin(head, decoder);
        read = pickReader(reader, head, decoder);
      }
      const got = await read();
      return Array.isArray(got) ? batches.batch(got) : ended(got);
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
  readonly clock: Clock;
  readonly api: AnswerApi;
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
function pickReader(reader: Reader, head: HttpHead, decoder: EventDecoder): ReadEvents {
  if (head.status !== 200) {
    return async () => {
      const { text, stop } = await readText(reader, MAX_ERROR_BYTES);
      if (stop?.kind === 'aborted') return stop;
      return failed(await reader.api.classify(head, text, reader.clock.nowMs()));
    };
  }
  const format = bodyFormat(head.headers, reader.api.framing?.contentType);
  if (format.kind === 'wrong') return async () => failed(wrongFormat(format.what, reader.api.name, head));
  if (format.kind === 'json') return wholeReader(reader, head, decoder);
  const { framing } = reader.api;
  const events =
    format.kind === 'framed' && framing !== undefined ? framing.createReader() : createSseReader();
  return streamReader(reader, head, decoder, events);
}

function wholeReader(reader: Reader, head: HttpHead, decoder: EventDecoder): ReadEvents {
  let end: End | undefined;
  return async () => {
    if (end !== undefined) return end;
    const { text, stop } = await readText(reader, MAX_ANSWER_BYTES);
    if (stop?.kind === 'aborted') return stop;
    if (stop !== undefined) return brokenOff(stop, head);
    const events: StreamEvent[] = [];
    const failure = await readWhole(text, head, decoder, events, reader);
    end = failure === undefined ? COMPLETE : failed(failure);
    return events.length > 0 ? events : end;
  };
}

/** A batch per read, until `message_stop`. */
function streamReader(reader: Reader, head: HttpHead, decoder: EventDecoder, sse: SseReader): ReadEvents {
  const { call, watch, clock } = reader;
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
          const events: StreamEvent[] = [];
          decoder.end?.(events);
          if (!decoder.stopped) return failed(cutFailure(head, undefined));
          return events.length > 0 ? events : COMPLETE;
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

async function readWhole(
  text: string,
  head: HttpHead,
  decoder: EventDecoder,
  into: StreamEvent[],
  { api, clock }: Reader,
): Promise<ModelFailure | undefined> {
  if (text.trim() === '') return protocolFailure('The answer is empty.', head, true);
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch {
    return protocolFailure('The answer is not JSON.', head, true);
  }
  const events = api.eventsOf(answer, head) ?? (await api.classify(head, text, clock.nowMs()));
  if (!Array.isArray(events)) return events as ModelFailure;
  for (const event of events) {
    const failure = decoder.accept(event, into);
    if (failure !== undefined) return failure;
  }
  decoder.end?.(into);
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
