/**
 * The timers of L4.3. They run only while a read is outstanding, so a slow consumer never trips them, and look up
 * every few seconds, so that a machine that slept is noticed when it wakes (F40).
 */
import type { Clock } from '../protocol/ports.ts';

/** All in ms; `Infinity` switches a limit off. */
export interface StreamTimeouts {
  /** Until the connection stands. Default 30 s. */
  readonly connectMs: number;
  /** Until the response's headers. Default 6 min. */
  readonly headersMs: number;
  /** For a whole answer that does not stream. Default 10 min. */
  readonly answerMs: number;
  /** Without any byte. Default 90 s. */
  readonly idleMs: number;
  /** Without content; pings are none. Default 10 min. */
  readonly contentMs: number;
  /** The same inside an open thinking block. Default 30 min. */
  readonly thinkingMs: number;
  /** For a model that reads its prompt slowly: replaces the limits before the first byte of the answer. */
  readonly firstByteMs?: number;
}

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
  /** The clock leapt: the machine slept, or stood still. */
  readonly slept: boolean;
};

const LOOK_EVERY_MS = 15_000;
/** A timer this late was not late by load. */
const LEAP_MS = 30_000;

export interface StreamWatch {
  /** A read is outstanding. */
  begin(): void;
  /** The read was answered. */
  pause(): void;
  /** There will be no more reads. */
  end(): void;
  connected(): void;
  gotHeaders(): void;
  gotByte(): void;
  /** Content came; `thinking`: a thinking block is open now. */
  gotContent(thinking: boolean): void;
}

/** `onTrip` is called once, when a read takes too long. */
export function createStreamWatch(
  clock: Clock,
  timeouts: StreamTimeouts,
  stream: boolean,
  onTrip: (trip: Trip) => void,
): StreamWatch {
  let phase: Trip['phase'] = 'connect';
  let thinking = false;
  /** Outstanding time in this phase before the current read; `idle` starts anew with each. */
  let waitedMs = 0;
  let contentWaitedMs = 0;
  let readStart: number | undefined;
  let reads = 0;
  /** The next look. It stays when a read is answered: the next read's may be due no earlier. */
  let look: { readonly dueMs: number; cancel(): void } | undefined;

  function limits(nowMs: number): { phase: Trip['phase']; leftMs: number; limitMs: number } {
    const elapsed = readStart === undefined ? 0 : nowMs - readStart;
    const left = (name: Trip['phase'], limitMs: number, before: number) => ({
      phase: name,
      limitMs,
      leftMs: limitMs - before - elapsed,
    });
    if (phase === 'connect') return left(phase, timeouts.connectMs, waitedMs);
    if (phase === 'headers') {
      const answer = stream ? timeouts.headersMs : Math.max(timeouts.answerMs, timeouts.headersMs);
      return left(phase, timeouts.firstByteMs ?? answer, waitedMs);
    }
    if (phase === 'first_byte') {
      return left(phase, timeouts.firstByteMs ?? (stream ? timeouts.idleMs : timeouts.answerMs), waitedMs);
    }
    const idle = left('idle', timeouts.idleMs, 0);
    const content = left('content', thinking ? timeouts.thinkingMs : timeouts.contentMs, contentWaitedMs);
    return content.leftMs < idle.leftMs ? content : idle;
  }

  function arm(mono: number): void {
    const slice = Math.max(0, Math.min(limits(mono).leftMs, LOOK_EVERY_MS));
    if (look !== undefined && mono <= look.dueMs && look.dueMs <= mono + slice) return;
    look?.cancel();
    const wall = clock.nowMs();
    const dueMs = mono + slice;
    const cancel = clock.timer(slice, () => {
      look = undefined;
      if (readStart === undefined) return;
      const read = reads;
      const nowMs = clock.monotonicMs();
      const late = Math.max(nowMs - mono, clock.nowMs() - wall) - slice;
      // Bytes that wait in the socket are read before an immediate: then it was this process that stood still.
      if (late > LEAP_MS)
        setImmediate(() => (reads === read && readStart !== undefined ? trip(true) : undefined));
      else if (limits(nowMs).leftMs <= 0) trip(false);
      else arm(nowMs);
    });
    look = { dueMs, cancel };
  }

  function trip(slept: boolean): void {
    const { phase: reached, limitMs } = limits(clock.monotonicMs());
    end();
    onTrip({ phase: reached, afterMs: limitMs, slept });
  }

  function end(): void {
    look?.cancel();
    look = undefined;
  }

  const enter = (next: Trip['phase']) => {
    if (phase === next) return;
    phase = next;
    waitedMs = 0;
  };

  return {
    begin() {
      readStart = clock.monotonicMs();
      arm(readStart);
    },
    pause() {
      if (readStart === undefined) return;
      reads++;
      const elapsed = clock.monotonicMs() - readStart;
      waitedMs += elapsed;
      contentWaitedMs += elapsed;
      readStart = undefined;
    },
    end,
    connected: () => phase === 'connect' && enter('headers'),
    gotHeaders: () => enter('first_byte'),
    gotByte: () => enter('idle'),
    gotContent(isThinking) {
      contentWaitedMs = 0;
      thinking = isThinking;
    },
  };
}
