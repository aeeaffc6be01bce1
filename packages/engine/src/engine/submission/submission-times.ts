/** When a submission came how far: first figures count, later ones change nothing. */
import type { LoopMessage, StreamEventsMessage } from '../../protocol/model/messages.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { Clock } from '../../protocol/ports.ts';

/** ms from the prompt, unless it says otherwise. */
export interface SubmissionTimes {
  /** The first request went out. */
  readonly request: number | undefined;
  /** The same, in ms since 1970. */
  readonly requestWall: number | undefined;
  /** The first event of its answer. */
  readonly stream: number | undefined;
  /** The first content. */
  readonly content: number | undefined;
  /** What the first request was made of, as its answer says. */
  readonly usage: Usage | undefined;
}

export class TimesOfSubmission implements SubmissionTimes {
  request: number | undefined = undefined;
  requestWall: number | undefined = undefined;
  stream: number | undefined = undefined;
  content: number | undefined = undefined;
  usage: Usage | undefined = undefined;
  readonly #clock: Clock;
  readonly #startedMs: number;

  constructor(clock: Clock, startedMs: number) {
    this.#clock = clock;
    this.#startedMs = startedMs;
  }

  see(message: LoopMessage): void {
    if (this.content !== undefined) return;
    switch (message.type) {
      case 'stream_request_start':
        if (this.request !== undefined) return;
        this.request = this.#since();
        this.requestWall = Math.round(this.#clock.nowMs());
        return;
      case 'stream_events':
        this.#seeEvents(message);
        return;
      case 'assistant':
        if (message.synthetic !== undefined) return;
        this.stream ??= this.#since();
        this.content = this.#since();
    }
  }

  #seeEvents({ events }: StreamEventsMessage): void {
    const first = events[0];
    if (first?.type === 'message_start') {
      this.stream ??= this.#since();
      this.usage ??= first.message.usage;
    }
    if (events.some(({ type }) => type === 'content_block_delta')) this.content = this.#since();
  }

  #since(): number {
    return Math.round(this.#clock.monotonicMs() - this.#startedMs);
  }
}
