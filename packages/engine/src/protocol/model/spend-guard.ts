/** Money that is reserved before a model call is sent (`strictBudget`). */
import type { Life } from '../life.ts';
import type { ModelFailure } from './failure.ts';
import type { ModelInfo, ModelRequest } from './model.ts';
import type { Usage } from './wire.ts';

export interface SpendGuard {
  /**
   * Reserves the worst case of one attempt. Waits while other calls hold what it needs; where it is alone,
   * its output cap is lowered to what the budget can pay. Never rejects.
   */
  reserve(need: SpendNeed, life: Pick<Life, 'signal'>): Promise<Reservation | SpendRefusal>;
}

export interface SpendNeed {
  readonly request: ModelRequest;
  readonly info: ModelInfo;
  /** Output cap of the attempt, at most. */
  readonly maxTokens: number;
}

export interface Reservation {
  readonly kind: 'reserved';
  /** Output cap that the reservation pays for. */
  readonly maxTokens: number;
  /** The attempt has ended, or was not made. Later calls change nothing. */
  settle(end: AttemptCost): void;
}

export type SpendRefusal =
  /** The worst case does not fit into the budget, or cannot be known. */
  | { readonly kind: 'refused'; readonly failure: ModelFailure }
  /** There is no money before this time, in ms since 1970. */
  | { readonly kind: 'later'; readonly wakeAt: number; readonly why: string }
  | { readonly kind: 'aborted' };

/** What the provider may bill for an attempt. */
export type AttemptCost =
  /** Nothing was sent, or the answer was an error. */
  | { readonly kind: 'free' }
  /** A complete answer. */
  | { readonly kind: 'complete'; readonly usage: Usage | undefined }
  /** It ended early: what was billed is at most the worst case. `usage`: as far as it was reported. */
  | { readonly kind: 'partial'; readonly usage: Usage | undefined };
