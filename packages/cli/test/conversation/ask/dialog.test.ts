/** The dialog, its clock and its keys. */

import { createBindings } from '@turnwright/terminal/input/bindings.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { virtualClock } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { openDialog } from '../../../src/conversation/ask/dialog.ts';
import { DEFAULT_KEYS, dialogKeys } from '../../../src/conversation/ask/dialog-keys.ts';
import { elicitationPage } from '../../../src/conversation/ask/elicitation-pages.ts';
import type { OverlayHost } from '../../../src/conversation/overlay.ts';
import { keyOf } from './asking-under-test.ts';

it('a timer that fires a little early does not leave the question folded', async () => {
  const clock = virtualClock();
  const theme = createTheme('none');
  const host: OverlayHost = {
    theme,
    clock: { ...clock, timer: (ms, callback) => clock.timer(ms > 1 ? ms - 1 : ms, callback) },
    invalidate: () => undefined,
    typing: () => ({ lastKeyMs: 0.25, draftIsEmpty: true }),
    open: async () => undefined,
    view: async () => undefined,
  };
  const first = elicitationPage(
    { serverName: 'desk', message: 'Go on?', mode: 'form' },
    { theme, cwd: '/work', home: undefined, keys: DEFAULT_KEYS },
  );
  const dialog = openDialog(host, {
    first,
    place: () => ({ number: 1, of: 1 }),
    keys: DEFAULT_KEYS,
    signal: new AbortController().signal,
  });
  const rows = () => dialog.frame({ columns: 79, rows: 14 }).rows;
  expect(rows()).toHaveLength(1);
  await clock.advance(799);
  expect(rows()).toHaveLength(1);
  await clock.advance(10);
  expect(rows().length).toBeGreaterThan(1);
});

it('the keys of the settings show the question and open the viewer', async () => {
  const clock = virtualClock();
  const theme = createTheme('none');
  const views: unknown[] = [];
  const host: OverlayHost = {
    theme,
    clock,
    invalidate: () => undefined,
    typing: () => ({ lastKeyMs: 0, draftIsEmpty: false }),
    open: async () => undefined,
    view: async (document) => void views.push(document),
  };
  const bindings = createBindings({ showQuestion: ['ctrl+q'], transcript: ['f2'] });
  const keys = dialogKeys((action) => bindings.keysOf(action));
  const first = elicitationPage(
    { serverName: 'desk', message: 'Go on?', mode: 'form' },
    { theme, cwd: '/work', home: undefined, keys },
  );
  const place = () => ({ number: 1, of: 1 });
  const dialog = openDialog(host, { first, place, keys, signal: new AbortController().signal });
  const rows = () => dialog.frame({ columns: 79, rows: 14 }).rows.join('\n');
  expect(rows()).toContain('Ctrl+Q shows it');
  expect(dialog.onEvent(keyOf('alt+a', 100))).toBe(false);
  expect(dialog.onEvent(keyOf('ctrl+q', 200))).toBe(true);
  expect(rows()).toContain('F2 all');
  expect(dialog.onEvent(keyOf('f2', 300))).toBe(true);
  expect(views).toHaveLength(1);
});
