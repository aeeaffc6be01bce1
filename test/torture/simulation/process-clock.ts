/** The clock of one simulated process: what it has armed dies with it. */
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import type { VirtualClock } from '@turnwright/testing';

export class ProcessClock implements Clock {
  readonly #base: VirtualClock;
  readonly #armed = new Set<() => void>();
  #isDead = false;

  constructor(base: VirtualClock) {
    this.#base = base;
  }

  /** Timers and sleeps that have not fired and were not cancelled. */
  get pending(): number {
    return this.#armed.size;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  kill(): void {
    this.#isDead = true;
    for (const cancel of this.#armed) cancel();
    this.#armed.clear();
  }

  nowMs = (): number => this.#base.nowMs();
  monotonicMs = (): number => this.#base.monotonicMs();

  timer = (ms: number, callback: () => void): (() => void) => {
    if (this.#isDead) return () => {};
    const cancel = this.#base.timer(Number.isNaN(ms) ? 0 : ms, () => {
      this.#armed.delete(cancel);
      callback();
    });
    this.#armed.add(cancel);
    return () => {
      this.#armed.delete(cancel);
      cancel();
    };
  };

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.timer(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
}
