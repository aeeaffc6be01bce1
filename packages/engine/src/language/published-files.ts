/** Waits for problems that a server sends by itself: nothing says when they are complete, so quiet does. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { Clock } from '../protocol/ports.ts';

/** Nothing more came for this long, ms. */
const QUIET_MS = 150;
/** Between a change and its problems, as long as nothing is known of the server, ms. */
const FIRST_PATIENCE_MS = 5_000;
const LEAST_PATIENCE_MS = 500;
/** A server needs not longer than this many times what it needed before. */
const PATIENCE_FACTOR = 3;
const MAX_PROGRESS = 100;

export class PublishedFiles {
  /** The state before the first change is known. */
  isWarm = false;
  /** Publications so far. */
  count = 0;
  patienceMs = FIRST_PATIENCE_MS;
  readonly #clock: Clock;
  readonly #last = new Map<string, number>();
  /** What the server says that it works on. */
  readonly #progress = new Set<unknown>();
  readonly #listeners = new Set<() => void>();
  readonly #enders = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  heard(path: string): void {
    this.count += 1;
    this.#last.delete(path);
    this.#last.set(path, this.count);
    for (const listener of [...this.#listeners]) listener();
  }

  progress(token: unknown, value: unknown): void {
    const kind = isRecord(value) ? value['kind'] : undefined;
    if (kind === 'begin' && this.#progress.size < MAX_PROGRESS) this.#progress.add(token);
    if (kind !== 'end') return;
    this.#progress.delete(token);
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Resolves when all these were published, the server says that it works on nothing, and nothing more came
   * for a moment; after `limitMs`; or when it ended. `since`: only the first one is waited for, published
   * after that many.
   */
  settled(
    paths: readonly string[],
    { limitMs, since }: { readonly limitMs: number; readonly since: number | undefined },
  ): Promise<void> {
    const begunMs = this.#clock.monotonicMs();
    const awaited = since === undefined ? paths : paths.slice(0, 1);
    const isComplete = () =>
      this.#progress.size === 0 && awaited.every((path) => (this.#last.get(path) ?? 0) > (since ?? 0));
    return new Promise((resolve) => {
      let quiet: (() => void) | undefined;
      const end = () => {
        quiet?.();
        cancel();
        this.#listeners.delete(listener);
        this.#enders.delete(end);
        resolve();
      };
      const listener = () => {
        quiet?.();
        if (!isComplete()) return;
        const neededMs = this.#clock.monotonicMs() - begunMs;
        if (since !== undefined)
          this.patienceMs = Math.max(LEAST_PATIENCE_MS, Math.ceil(neededMs * PATIENCE_FACTOR));
        quiet = this.#clock.timer(QUIET_MS, end);
      };
      const cancel = this.#clock.timer(limitMs, end);
      this.#listeners.add(listener);
      this.#enders.add(end);
      listener();
    });
  }

  /** The server ended: nothing is waited for. */
  end(): void {
    for (const end of [...this.#enders]) end();
  }
}
