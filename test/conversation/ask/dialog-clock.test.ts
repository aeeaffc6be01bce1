/** The dialog and its clock: real timers are not exact. */
import { expect, it } from 'vitest';
import { openDialog } from '../../../src/cli/conversation/ask/dialog.ts';
import { elicitationPage } from '../../../src/cli/conversation/ask/elicitation-pages.ts';
import type { OverlayHost } from '../../../src/cli/conversation/overlay.ts';
import { createTheme } from '../../../src/terminal/text/theme.ts';
import { virtualClock } from '../../../src/testing/index.ts';

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
    { theme, cwd: '/work', home: undefined },
  );
  const dialog = openDialog(host, {
    first,
    place: () => ({ number: 1, of: 1 }),
    signal: new AbortController().signal,
  });
  const rows = () => dialog.frame({ columns: 79, rows: 14 }).rows;
  expect(rows()).toHaveLength(1);
  await clock.advance(799);
  expect(rows()).toHaveLength(1);
  await clock.advance(10);
  expect(rows().length).toBeGreaterThan(1);
});
