/** The guard of questions against answers by accident, as a pure machine over the times of keys. */
import { describe, expect, it } from 'vitest';
import { dueMs, type Guard, newGuard, PAUSE_MS, stepGuard } from '../../../src/conversation/ask/key-guard.ts';

const shownAt = (atMs: number): Guard => ({ isShown: true, lastMs: atMs });
const choice = (atMs: number) => ({ kind: 'key', atMs, means: 'choice' }) as const;

describe('when a question is shown', () => {
  it('at once if no key has been pressed, and 800 ms after the last key otherwise', () => {
    const time = (atMs: number, draftIsEmpty = true) => ({ kind: 'time', atMs, draftIsEmpty }) as const;
    expect(stepGuard(newGuard(undefined), time(0)).guard.isShown).toBe(true);
    expect(dueMs(newGuard(100))).toBe(900);
    expect(stepGuard(newGuard(100), time(899)).guard.isShown).toBe(false);
    expect(stepGuard(newGuard(100), time(900)).guard.isShown).toBe(true);
    expect(stepGuard(newGuard(100), time(9_000, false)).guard.isShown).toBe(false);
  });

  it('the key that shows it now is obeyed also while someone types', () => {
    const { guard } = stepGuard(newGuard(1_000), { kind: 'show', atMs: 1_001 });
    expect(guard).toEqual(shownAt(1_001));
    expect(stepGuard(guard, choice(1_001 + PAUSE_MS - 1)).to).toBe('editor');
    expect(stepGuard(guard, choice(1_001 + PAUSE_MS)).to).toBe('decides');
  });
});

describe('what a key does', () => {
  it('a choice counts after 400 ms without any key on the shown question', () => {
    expect(stepGuard(shownAt(0), choice(399))).toEqual({
      guard: { isShown: false, lastMs: 399 },
      to: 'editor',
    });
    expect(stepGuard(shownAt(0), choice(400)).to).toBe('decides');
    const moved = stepGuard(shownAt(0), { kind: 'key', atMs: 300, means: 'move' });
    expect(moved).toEqual({ guard: shownAt(300), to: 'question' });
    expect(stepGuard(moved.guard, choice(600)).to).toBe('editor');
  });

  it('another key and a paste go to the editor and fold it', () => {
    expect(stepGuard(shownAt(0), { kind: 'key', atMs: 5_000, means: 'other' })).toEqual({
      guard: { isShown: false, lastMs: 5_000 },
      to: 'editor',
    });
    expect(stepGuard(shownAt(0), { kind: 'paste', atMs: 5_000 }).to).toBe('editor');
    expect(stepGuard(newGuard(0), choice(5_000)).to).toBe('editor');
  });
});
