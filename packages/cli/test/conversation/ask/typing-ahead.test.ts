/** A6 for the dialog itself: keys that are typed across its arrival, with a clock that the test moves. */

import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { virtualClock } from '@turnwright/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDialog } from '../../../src/conversation/ask/dialog.ts';
import { DEFAULT_KEYS } from '../../../src/conversation/ask/dialog-keys.ts';
import { answer, type DialogPage } from '../../../src/conversation/ask/dialog-page.ts';
import type { OverlayHost } from '../../../src/conversation/overlay.ts';
import { keyOf } from './asking-under-test.ts';

const KEYS = [...'123451234567890abcdefgh ', 'enter', 'enter', 'backspace', 'up', 'ctrl+a'];

/** A clock whose timers fire as soon as the test has moved it, without waiting for promises. */
function plainClock() {
  let nowMs = 0;
  let timers: { dueMs: number; fire: () => void }[] = [];
  return {
    clock: {
      ...virtualClock(),
      monotonicMs: () => nowMs,
      timer(ms: number, fire: () => void) {
        const timer = { dueMs: nowMs + ms, fire };
        timers.push(timer);
        return () => {
          timers = timers.filter((each) => each !== timer);
        };
      },
    },
    advance(ms: number) {
      const untilMs = nowMs + ms;
      while (true) {
        const next = timers.filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        timers = timers.filter((each) => each !== next);
        nowMs = next.dueMs;
        next.fire();
      }
      nowMs = untilMs;
    },
  };
}

function deskWith(lastKeyMs: () => number | undefined, draftIsEmpty: () => boolean) {
  const { clock, advance } = plainClock();
  let decisions = 0;
  const decide = () => {
    decisions += 1;
    return answer('decided');
  };
  const page: DialogPage<string> = {
    title: 'Bash',
    body: () => ['touch made'],
    foot: () => ['1 once'],
    document: () => ({ title: 'Bash', parts: [] }),
    choices: { '1': decide, '2': decide, '3': decide, '4': decide, '5': decide, enter: decide },
    escape: decide,
  };
  const host: OverlayHost = {
    theme: createTheme('none'),
    clock,
    invalidate: () => undefined,
    typing: () => ({ lastKeyMs: lastKeyMs(), draftIsEmpty: draftIsEmpty() }),
    open: async () => undefined,
    view: async () => undefined,
  };
  const open = () =>
    openDialog(host, {
      first: page,
      place: () => ({ number: 1, of: 1 }),
      keys: DEFAULT_KEYS,
      signal: new AbortController().signal,
    });
  return { open, clock, advance, decisions: () => decisions };
}

it('A6: 300 random keys across the arrival of a dialog, 200 runs: no decision, and no key is lost', () => {
  const typing = fc.record({
    keys: fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.integer({ min: 20, max: 350 })), {
      minLength: 300,
      maxLength: 300,
    }),
    arrivesAfter: fc.integer({ min: 1, max: 299 }),
    /** A part of the gap before the next key, in per cent. */
    within: fc.integer({ min: 0, max: 100 }),
  });
  fc.assert(
    fc.property(typing, ({ keys, arrivesAfter, within }) => {
      let lastKeyMs: number | undefined;
      let draft = '';
      const reached: string[] = [];
      const { open, clock, advance, decisions } = deskWith(
        () => lastKeyMs,
        () => draft === '',
      );
      let dialog: ReturnType<typeof open> | undefined;
      for (const [at, [key, gapMs]] of keys.entries()) {
        const before = at === arrivesAfter ? Math.floor((gapMs * within) / 100) : 0;
        advance(before);
        if (at === arrivesAfter) dialog = open();
        advance(gapMs - before);
        const isTaken = dialog?.onEvent(keyOf(key, clock.monotonicMs())) ?? false;
        lastKeyMs = clock.monotonicMs();
        if (isTaken) continue;
        reached.push(key);
        if (key === 'enter') draft = '';
        else if (key === 'backspace') draft = draft.slice(0, -1);
        else if (key.length === 1) draft += key;
      }
      expect(decisions()).toBe(0);
      expect(reached).toEqual(keys.map(([key]) => key));
      // Once the typing has ended and the draft is empty, the dialog is there, and a choice counts.
      draft = '';
      advance(801);
      if (dialog === undefined) return;
      expect(dialog.frame({ columns: 79, rows: 14 }).rows).toEqual(['? Bash', 'touch made', '1 once']);
      advance(400);
      expect(dialog.onEvent(keyOf('1', clock.monotonicMs()))).toBe(true);
      expect(decisions()).toBe(1);
    }),
    { numRuns: propertyRuns(200, 2_000) },
  );
});
