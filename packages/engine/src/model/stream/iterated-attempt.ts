/**
 * An attempt of a client that does its own HTTP and hands over its answer as an iterable: the time limits,
 * facts, masks and abort of an attempt over our own sockets.
 */

import { maskSecrets } from '@turnwright/base/text/secret-text.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type {
  Attempt,
  AttemptEnd,
  Batch,
  HttpHead,
  StreamTimeouts,
} from '../../protocol/model/provider-wire.ts';
import type { StreamEvent } from '../../protocol/model/wire.ts';
import type { Clock } from '../../protocol/ports.ts';
import { classifyTrip, cutFailure, protocolFailure } from '../retry/classify-error.ts';
import { type AnswerBatches, createAnswerBatches } from './answer-batches.ts';
import type { EventDecoder } from './decode-events.ts';
import { createStreamWatch, type StreamWatch } from './stream-watch.ts';

interface IteratedInput {
  /** Sends the request. It must not retry. The signal ends the request and its answer. */
  send(signal: AbortSignal): Promise<IteratedAnswer>;
  /** The decoder, whose `accept` takes the answer's events. */
  createDecoder(head: HttpHead): EventDecoder;
  /**
   * The failure that an error means which `send` or the answer throws. `head` is set once the answer has
   * begun; a `connection` failure counts as a cut answer then.
   */
  classify(error: unknown, head: HttpHead | undefined): ModelFailure;
  /** Credentials, which are masked in failures. */
  readonly secrets: readonly string[];
  readonly stream: boolean;
  readonly timeouts: StreamTimeouts;
  readonly clock: Clock;
  readonly life: Life;
}

export interface IteratedAnswer {
  /** Status 200 and no headers if the client does not tell them. */
  readonly head: HttpHead;
  /** An array for an answer that came whole: its events are one batch. */
  readonly events: AsyncIterable<unknown> | readonly unknown[];
}

type Stop = { readonly kind: 'aborted' } | { readonly kind: 'failed'; readonly failure: ModelFailure };

type Settled<T> = { readonly value: T } | { readonly error: unknown } | 'stopped';

/** Sends the request with the first `next`. */
export function openIteratedAttempt(input: IteratedInput): Attempt {
  return new IteratedAttempt(input);
}

class IteratedAttempt implements Attempt {
  readonly #input: IteratedInput;
  readonly #controller = new AbortController();
  readonly #batches: AnswerBatches;
  readonly #watch: StreamWatch;
  readonly #forget: () => void;
  #stopped: Stop | undefined;
  #onStop: (() => void) | undefined;
  #head: HttpHead | undefined;
  #decoder: EventDecoder | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  /** Of an answer that came whole. */
  #whole: readonly unknown[] | undefined;
  /** The failure that is due after a batch. */
  #failure: ModelFailure | undefined;
  #isEmpty = true;

  constructor(input: IteratedInput) {
    this.#input = input;
    this.#batches = createAnswerBatches(input.clock, input.clock.monotonicMs());
    this.#watch = createStreamWatch(input.clock, input.timeouts, input.stream, (trip) =>
      this.#stop({ kind: 'failed', failure: classifyTrip(trip) }),
    );
    // The client connects by itself; it does not tell when.
    this.#watch.connected();
    this.#forget = input.life.onAbort(() => this.#stop({ kind: 'aborted' }));
  }

  async next(): Promise<Batch | AttemptEnd> {
    if (this.#head === undefined) {
      const failed = await this.#send();
      if (failed !== undefined) return failed;
    }
    if (this.#failure !== undefined) return this.#failed(this.#failure);
    return this.#whole === undefined ? this.#read() : this.#readWhole();
  }

  close(): void {
    this.#watch.end();
    this.#forget();
    if (this.#decoder?.stopped !== true) this.#controller.abort();
    // Not awaited: a client that does not answer would keep the caller.
    this.#iterator?.return?.().catch(() => {});
  }

  async #send(): Promise<AttemptEnd | undefined> {
    const sent = await this.#settled(() => this.#input.send(this.#controller.signal));
    if (sent === 'stopped') return this.#ended();
    if ('error' in sent) return this.#failed(this.#input.classify(sent.error, undefined));
    const { head, events } = sent.value;
    this.#head = head;
    this.#decoder = this.#input.createDecoder(head);
    this.#batches.begin(head, this.#decoder);
    this.#watch.gotHeaders();
    if (isAsync(events)) this.#iterator = events[Symbol.asyncIterator]();
    else this.#whole = events;
    return undefined;
  }

  async #read(): Promise<Batch | AttemptEnd> {
    const decoder = this.#decoder as EventDecoder;
    const iterator = this.#iterator as AsyncIterator<unknown>;
    const events: StreamEvent[] = [];
    while (true) {
      if (decoder.stopped) return { kind: 'complete', facts: this.#batches.facts };
      const step = await this.#settled(() => iterator.next());
      if (step === 'stopped') return this.#ended();
      if ('error' in step) return this.#failed(this.#broken(step.error));
      if (step.value.done === true) {
        decoder.end?.(events);
        if (!decoder.stopped) this.#failure = this.#unfinished();
        if (events.length > 0) return this.#batches.batch(events);
        if (this.#failure !== undefined) return this.#failed(this.#failure);
        continue;
      }
      this.#isEmpty = false;
      this.#watch.gotByte();
      const before = decoder.contentCount;
      this.#failure = decoder.accept(step.value.value, events);
      if (decoder.contentCount > before) this.#watch.gotContent(decoder.thinkingOpen());
      if (events.length > 0) return this.#batches.batch(events);
      if (this.#failure !== undefined) return this.#failed(this.#failure);
    }
  }

  #readWhole(): Batch | AttemptEnd {
    const decoder = this.#decoder as EventDecoder;
    if (decoder.stopped) return { kind: 'complete', facts: this.#batches.facts };
    const events: StreamEvent[] = [];
    for (const event of this.#whole ?? []) {
      this.#isEmpty = false;
      this.#failure ??= decoder.accept(event, events);
    }
    decoder.end?.(events);
    if (!decoder.stopped) this.#failure ??= this.#unfinished();
    return events.length > 0 ? this.#batches.batch(events) : this.#failed(this.#failure as ModelFailure);
  }

  /** What became of the work, within the time limits. */
  #settled<T>(work: () => Promise<T>): Promise<Settled<T>> {
    if (this.#stopped !== undefined) return Promise.resolve('stopped');
    this.#watch.begin();
    return new Promise((resolve) => {
      const settle = (settled: Settled<T>) => {
        this.#watch.pause();
        resolve(settled);
      };
      this.#onStop = () => settle('stopped');
      started(work).then(
        (value) => settle({ value }),
        (error: unknown) => settle({ error }),
      );
    });
  }

  #stop(why: Stop): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#onStop?.();
    this.#controller.abort();
  }

  #broken(error: unknown): ModelFailure {
    const head = this.#head as HttpHead;
    const failure = this.#input.classify(error, head);
    return failure.kind === 'connection' ? cutFailure(head, failure.cause ?? error) : failure;
  }

  #unfinished(): ModelFailure {
    const head = this.#head as HttpHead;
    return this.#isEmpty ? protocolFailure('The answer is empty.', head, true) : cutFailure(head, undefined);
  }

  #ended(): AttemptEnd {
    const stopped = this.#stopped as Stop;
    return stopped.kind === 'failed'
      ? this.#failed(stopped.failure)
      : { ...stopped, facts: this.#batches.facts };
  }

  #failed(failure: ModelFailure): AttemptEnd {
    const message = maskSecrets(failure.message, this.#input.secrets);
    return { kind: 'failed', failure: { ...failure, message }, facts: this.#batches.facts };
  }
}

/** Turns an exception of a function that is not async into a rejection. */
async function started<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

function isAsync(events: IteratedAnswer['events']): events is AsyncIterable<unknown> {
  return Symbol.asyncIterator in events;
}

/** An attempt that is not made: the request cannot be put on this wire. */
export function refusedAttempt(failure: ModelFailure): Attempt {
  return {
    next: async () => ({ kind: 'failed', failure, facts: { started: false } }),
    close() {},
  };
}
