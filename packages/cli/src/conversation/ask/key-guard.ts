/**
 * Protects a question from answers by accident (S6.4). A pure state machine over the times of keys: a
 * question that arrives while someone types is one folded line; a choice counts only after a pause; every
 * other key goes to the editor and folds the question again.
 */

/** Not shown while keys arrived within this time. */
const QUIET_MS = 800;
/** A choice counts only after this time without any key, on the screen that is seen. */
export const PAUSE_MS = 400;

export interface Guard {
  readonly isShown: boolean;
  /** Of the last key or paste, or of the moment when the question was shown; undefined: none so far. */
  readonly lastMs: number | undefined;
}

type GuardEvent =
  /** Time has passed, or the draft has changed. */
  | { readonly kind: 'time'; readonly atMs: number; readonly draftIsEmpty: boolean }
  /** The key that shows the question now. */
  | { readonly kind: 'show'; readonly atMs: number }
  /** `choice`: it would decide; `move`: it only scrolls, or opens the viewer; `other`: neither. */
  | { readonly kind: 'key'; readonly atMs: number; readonly means: 'choice' | 'move' | 'other' }
  | { readonly kind: 'paste'; readonly atMs: number };

interface GuardStep {
  readonly guard: Guard;
  /** Whose the event is: `decides`: the choice counts. */
  readonly to: 'question' | 'decides' | 'editor';
}

/** `lastKeyMs`: of the last key before the question arrived. */
export function newGuard(lastKeyMs: number | undefined): Guard {
  return { isShown: false, lastMs: lastKeyMs };
}

export function stepGuard(guard: Guard, event: GuardEvent): GuardStep {
  switch (event.kind) {
    case 'time': {
      const isDue = !guard.isShown && event.draftIsEmpty && event.atMs >= dueMs(guard);
      return { guard: isDue ? { isShown: true, lastMs: event.atMs } : guard, to: 'question' };
    }
    case 'show':
      return { guard: { isShown: true, lastMs: event.atMs }, to: 'question' };
    case 'paste':
      return { guard: folded(event.atMs), to: 'editor' };
    case 'key':
      return guard.isShown ? keyOfShown(guard, event) : { guard: folded(event.atMs), to: 'editor' };
  }
}

function keyOfShown(guard: Guard, { atMs, means }: Extract<GuardEvent, { kind: 'key' }>): GuardStep {
  if (means === 'move') return { guard: { isShown: true, lastMs: atMs }, to: 'question' };
  const counts = means === 'choice' && atMs - (guard.lastMs ?? atMs) >= PAUSE_MS;
  return counts
    ? { guard: { isShown: true, lastMs: atMs }, to: 'decides' }
    : { guard: folded(atMs), to: 'editor' };
}

const folded = (atMs: number): Guard => ({ isShown: false, lastMs: atMs });

/** When a folded question may be shown, if the draft is empty then. */
export function dueMs({ lastMs }: Guard): number {
  return lastMs === undefined ? Number.NEGATIVE_INFINITY : lastMs + QUIET_MS;
}
