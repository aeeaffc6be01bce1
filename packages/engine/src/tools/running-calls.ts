/** Which calls of an iteration run, and which may start beside them (L5). */

import { createResolvable, type Resolvable, unlessAborted } from '@turnwright/base/async/promises.ts';
import type { Scope } from '@turnwright/base/async/scope.ts';
import type { Wait } from '../protocol/session/parking.ts';

/** A call, as far as it matters to those beside it. */
export interface RunningCall {
  readonly life: Scope;
  /** Runs, or waits to run, alone. */
  alone: boolean;
  /** It ran beside others, its input was rewritten, and it now waits to run alone. */
  onAlone?: Resolvable<void> | undefined;
  /** It is parked, and keeps its place: a call that may not run beside it does not start. */
  wait?: Wait;
}

export class RunningCalls<C extends RunningCall> {
  readonly #limit: number;
  /** In the order they started. */
  #calls: readonly C[] = [];
  /** In the order they came to it. */
  #waitingToBeAlone: readonly C[] = [];
  #parked = 0;

  /** `limit`: how many may run at the same time, parked ones not counted. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get all(): readonly C[] {
    return this.#calls;
  }

  /** Those that are parked; the same array while there are none. */
  get parked(): readonly C[] {
    return this.#parked === 0 ? NONE : this.#calls.filter(({ wait }) => wait !== undefined);
  }

  /** A call is parked, and all others are parked too, or wait until they may run alone. */
  get areLeftToWait(): boolean {
    return (
      this.#parked > 0 &&
      this.#calls.every(({ onAlone, wait }) => wait !== undefined || onAlone !== undefined)
    );
  }

  mayStart({ alone }: C): boolean {
    const calls = this.#calls;
    if (calls.length === 0) return true;
    return !alone && calls.length - this.#parked < this.#limit && calls.every((call) => !call.alone);
  }

  add(call: C): void {
    this.#calls = [...this.#calls, call];
  }

  remove(call: C): void {
    this.#calls = without(this.#calls, call);
    if (call.wait !== undefined) this.#parked -= 1;
  }

  park(call: C, wait: Wait): void {
    call.wait = wait;
    this.#parked += 1;
  }

  /** Resolves when no other call runs. Rejects on abort. */
  async aloneFirst(call: C): Promise<void> {
    call.alone = true;
    // Where nothing else runs, its turn comes at once, and clears the field.
    const turn = createResolvable<void>();
    call.onAlone = turn;
    this.#waitingToBeAlone = [...this.#waitingToBeAlone, call];
    this.letAloneRun();
    try {
      await unlessAborted(turn.promise, call.life.signal);
    } finally {
      this.#waitingToBeAlone = without(this.#waitingToBeAlone, call);
    }
  }

  /** The first call that waits to run alone starts when no other runs; later ones wait for it. */
  letAloneRun(): void {
    const first = this.#waitingToBeAlone[0];
    if (first === undefined || this.#calls.some(({ onAlone }) => onAlone === undefined)) return;
    this.#waitingToBeAlone = without(this.#waitingToBeAlone, first);
    first.onAlone?.resolve();
    first.onAlone = undefined;
  }
}

const NONE: readonly never[] = Object.freeze([]);

const without = <C>(calls: readonly C[], gone: C): readonly C[] => calls.filter((call) => call !== gone);
