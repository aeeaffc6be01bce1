/** Money that several sessions share, whatever process they run in (the engine's `purse`). */

export interface Purse {
  /**
   * Takes what one attempt at a model call may cost, before it is sent: `mostUsd`, or what is left, if that
   * is not less than `leastUsd`. Waits while calls in flight hold what is missing. Rejects on abort.
   */
  take(
    need: { readonly mostUsd: number; readonly leastUsd: number },
    signal: AbortSignal,
  ): Promise<TakenMoney | EmptyPurse>;
}

export interface TakenMoney {
  readonly kind: 'taken';
  readonly usd: number;
  /** The attempt has ended, and was billed with so many USD at most. Later calls change nothing. */
  settle(usd: number): void;
}

export interface EmptyPurse {
  readonly kind: 'empty';
  /** For people. */
  readonly why: string;
  /** When there may be money again, in ms since 1970. Absent: there never is enough. */
  readonly wakeAt?: number;
}
