import { virtualClock } from '@turnwright/testing';
import { afterEach, expect, test } from 'vitest';
import { COMMON_WIDTHS, cells, setWidths } from '../../src/text/cells.ts';
import { mayProbe, probeWidths } from '../../src/text/width-probe.ts';

const CLUSTERS = ['👍🏽', '👨‍👩‍👧', '❤️', '1️⃣', '👍'];
afterEach(() => setWidths(COMMON_WIDTHS));

const asked = () => {
  const clock = virtualClock();
  let written = '';
  const probe = probeWidths({ clock, write: (text) => (written = text) });
  return { clock, probe, written };
};

test.each([
  ['tmux 3.3', [4, 2, 1, 1], [4, 2, 1, 1, 2]],
  ['xterm.js without an add-on', [2, 3, 1, 1], [2, 3, 1, 1, 1]],
  ['a current terminal', [2, 2, 2, 2], [2, 2, 2, 2, 2]],
  ['one that joins nothing', [4, 6, 2, 2], [4, 6, 2, 2, 2]],
  ['one that answers nonsense', [70, 0, -3, 99], [2, 2, 2, 2, 2]],
])('the widths are those of the terminal: %s', async (_, measured, widths) => {
  const { probe, written } = asked();
  expect(written.split('\x1b[6n')).toHaveLength(6);
  for (const width of [0, ...measured]) expect(probe.onCursor([9, 5 + width])).toBe(true);
  await probe.done;
  expect(CLUSTERS.map(cells)).toEqual(widths);
  expect(probe.onCursor([1, 1])).toBe(false);
});

test('without all answers within 100 ms the common widths stay, and a late answer changes nothing', async () => {
  const { clock, probe } = asked();
  for (const column of [1, 5, 3, 2]) probe.onCursor([1, column]);
  await clock.advance(100);
  await probe.done;
  expect(probe.onCursor([1, 2])).toBe(false);
  expect(CLUSTERS.map(cells)).toEqual([2, 2, 2, 2, 2]);
});

test('neither a dumb terminal nor one of a CI run is asked', () => {
  expect([{}, { TERM: 'dumb' }, { CI: 'true' }, { CI: '' }].map(mayProbe)).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
