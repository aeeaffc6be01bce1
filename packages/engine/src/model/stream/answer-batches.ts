/** Batches of events, and the facts that an attempt's record is made of. */
import type { AttemptFacts, Batch, HttpHead } from '../../protocol/model/provider-wire.ts';
import type { StreamEvent } from '../../protocol/model/wire.ts';
import type { Clock } from '../../protocol/ports.ts';
import { requestIdOf } from '../retry/classify-error.ts';
import type { EventDecoder } from './decode-events.ts';

export interface AnswerBatches {
  readonly facts: AttemptFacts;
  /** The headers have arrived. */
  begin(head: HttpHead, decoder: EventDecoder): void;
  /** The batch of these events, which the decoder has made. */
  batch(events: readonly StreamEvent[]): Batch;
}

/** `startMs`: when the request was sent. */
export function createAnswerBatches(clock: Clock, startMs: number): AnswerBatches {
  return new Batches(clock, startMs);
}

class Batches implements AnswerBatches {
  readonly facts: AttemptFacts = { started: false };
  readonly #clock: Clock;
  readonly #startMs: number;
  #decoder: EventDecoder | undefined;
  #named: { readonly requestId?: string } = {};
  #hasEvents = false;

  constructor(clock: Clock, startMs: number) {
    this.#clock = clock;
    this.#startMs = startMs;
  }

  begin(head: HttpHead, decoder: EventDecoder): void {
    this.facts.head = head;
    this.facts.firstByteMs = this.#clock.monotonicMs();
    this.#decoder = decoder;
    const requestId = requestIdOf(head);
    if (requestId !== undefined) this.#named = { requestId };
  }

  batch(events: readonly StreamEvent[]): Batch {
    const { facts } = this;
    const decoder = this.#decoder as EventDecoder;
    if (decoder.contentCount > 0) facts.started = decoder.started;
    if (decoder.usage !== undefined) facts.usage = decoder.usage;
    if (decoder.model !== undefined) facts.model = decoder.model;
    const isFirst = !this.#hasEvents;
    this.#hasEvents = true;
    if (!isFirst && (facts.firstContentMs !== undefined || decoder.blockCount === 0))
      return { kind: 'events', events, ...this.#named };
    const nowMs = this.#clock.monotonicMs();
    if (decoder.blockCount > 0) facts.firstContentMs ??= nowMs;
    return { kind: 'events', events, ...(isFirst && { ttftMs: nowMs - this.#startMs }), ...this.#named };
  }
}
