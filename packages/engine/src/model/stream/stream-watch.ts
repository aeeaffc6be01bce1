/**
 * The timers of L4.3. They run only while a read is outstanding, so a slow consumer never triggers them, and
 * check every few seconds, so that the sleep of the machine is detected on waking (F40).
 */
import type { StreamTimeouts } from '../../protocol/model/provider-wire.ts';
import type { Clock } from '../../protocol/ports.ts';

export const DEFAULT_TIMEOUTS: StreamTimeouts = Object.freeze({
  connectMs: 30_000,
  headersMs: 360_000,
  answerMs: 600_000,
  idleMs: 90_000,
  contentMs: 600_000,
  thinkingMs: 1_800_000,
});

export type Trip = {
  readonly phase: 'connect' | 'headers' | 'first_byte' | 'idle' | 'content';
  readonly afterMs: number;
  /** The clock leapt: the machine slept, or the process was stopped. */
  readonly slept: boolean;
};

const LOOK_EVERY_MS = 15_000;
/** A timer that is this late was not delayed by load. */
const LEAP_MS = 30_000;

export interface StreamWatch {
  /** A read is outstanding. */
  begin(): void;
  /** The read has returned. */
  pause(): void;
  /** There are no more reads. */
  end(): void;
  connected(): void;
  gotHeaders(): void;
  gotByte(): void;
  /** Content arrived; `thinking`: a thinking block is open now. */
  gotContent(thinking: boolean): void;
}

/** `onTrip` is called once, when a read takes too long. */
export function createStreamWatch(
  clock: Clock,
  timeouts: StreamTimeouts,
  stream: boolean,
  onTrip: (trip: Trip) => void,
): StreamWatch {
  return new Watch(clock, timeouts, stream, onTrip);
}

interface Limit {
  readonly phase: Trip['phase'];
  readonly leftMs: number;
  readonly limitMs: number;
}

class Watch implements StreamWatch {
  readonly #clock: Clock;
  readonly #timeouts: StreamTimeouts;
  readonly #stream: boolean;
  readonly #onTrip: (trip: Trip) => void;
  #phase: Trip['phase'] = 'connect';
  #thinking = false;
  /** Outstanding time in this phase before the current read; `idle` starts anew with each. */
  #waitedMs = 0;
  #contentWaitedMs = 0;
  #readStart: number | undefined;
  #reads = 0;
  /** The next check. It is kept when a read returns: the next read's check may be due no earlier. */
  #look: { readonly dueMs: number; cancel(): void } | undefined;

  constructor(clock: Clock, timeouts: StreamTimeouts, stream: boolean, onTrip: (trip: Trip) => void) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#stream = stream;
    this.#onTrip = onTrip;
  }

  begin(): void {
    this.#readStart = this.#clock.monotonicMs();
    this.#arm(this.#readStart);
  }

  pause(): void {
    if (this.#readStart === undefined) return;
    this.#reads++;
    const elapsed = this.#clock.monotonicMs() - this.#readStart;
    this.#waitedMs += elapsed;
    this.#contentWaitedMs += elapsed;
    this.#readStart = undefined;
  }

  end(): void {
    this.#look?.cancel();
    this.#look = undefined;
  }

  connected(): void {
    if (this.#phase === 'connect') this.#enter('headers');
  }

  gotHeaders(): void {
    this.#enter('first_byte');
  }

  gotByte(): void {
    this.#enter('idle');
  }

  gotContent(thinking: boolean): void {
    this.#contentWaitedMs = 0;
    this.#thinking = thinking;
  }

  #enter(next: Trip['phase']): void {
    if (this.#phase === next) return;
    this.#phase = next;
    this.#waitedMs = 0;
  }

  #limit(nowMs: number): Limit {
    const timeouts = this.#timeouts;
    const phase = this.#phase;
    const elapsed = this.#readStart === undefined ? 0 : nowMs - this.#readStart;
    const left = (name: Trip['phase'], limitMs: number, before: number): Limit => ({
      phase: name,
      limitMs,
      leftMs: limitMs - before - elapsed,
    });
    if (phase === 'connect') return left(phase, timeouts.connectMs, this.#waitedMs);
    if (phase === 'headers') {
      const answer = this.#stream ? timeouts.headersMs : Math.max(timeouts.answerMs, timeouts.headersMs);
      return left(phase, timeouts.firstByteMs ?? answer, this.#waitedMs);
    }
    if (phase === 'first_byte') {
      const answer = this.#stream ? timeouts.idleMs : timeouts.answerMs;
      return left(phase, timeouts.firstByteMs ?? answer, this.#waitedMs);
    }
    const idle = left('idle', timeouts.idleMs, 0);
    const contentMs = this.#thinking ? timeouts.thinkingMs : timeouts.contentMs;
    const content = left('content', contentMs, this.#contentWaitedMs);
    return content.leftMs < idle.leftMs ? content : idle;
  }

  #arm(mono: number): void {
    const slice = Math.max(0, Math.min(this.#limit(mono).leftMs, LOOK_EVERY_MS));
    const look = this.#look;
    if (look !== undefined && mono <= look.dueMs && look.dueMs <= mono + slice) return;
    look?.cancel();
    const wall = this.#clock.nowMs();
    const cancel = this.#clock.timer(slice, () => this.#lookUp(mono, wall, slice));
    this.#look = { dueMs: mono + slice, cancel };
  }

  #lookUp(mono: number, wall: number, slice: number): void {
    this.#look = undefined;
    if (this.#readStart === undefined) return;
    const read = this.#reads;
    const nowMs = this.#clock.monotonicMs();
    const late = Math.max(nowMs - mono, this.#clock.nowMs() - wall) - slice;
    // Bytes that wait in the socket are read before an immediate: then it was this process that was stopped.
    if (late > LEAP_MS)
      setImmediate(() => {
        if (this.#reads === read && this.#readStart !== undefined) this.#trip(true);
      });
    else if (this.#limit(nowMs).leftMs <= 0) this.#trip(false);
    else this.#arm(nowMs);
  }

  #trip(slept: boolean): void {
    const { phase, limitMs } = this.#limit(this.#clock.monotonicMs());
    this.end();
    this.#onTrip({ phase, afterMs: limitMs, slept });
  }
}
