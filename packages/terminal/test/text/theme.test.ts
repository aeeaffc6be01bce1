import { expect, test } from 'vitest';
import { createTheme, themeFor } from '../../src/text/theme.ts';

const many = { TERM: 'xterm-256color' };

test.each([
  [{ color: false, env: many }, 'none'],
  [{ color: true, env: many }, 'dark'],
  [{ color: true, env: { TERM: 'xterm' } }, 'basic'],
  [{ color: true, env: { TERM: 'xterm', COLORTERM: 'truecolor' } }, 'dark'],
  [{ color: true, env: { ...many, FORCE_COLOR: '1' } }, 'basic'],
  [{ color: true, env: { FORCE_COLOR: '2' } }, 'dark'],
  [{ color: true, env: many, background: [1, 1, 0.9] }, 'light'],
  [{ color: true, env: { ...many, COLORFGBG: '0;15' } }, 'light'],
  [{ color: true, env: { ...many, COLORFGBG: '0;15' }, background: [0, 0, 0.2] }, 'dark'],
  [{ color: true, env: many, background: [1, 1, 1], setting: 'basic' as const }, 'basic'],
  [{ color: false, env: many, setting: 'light' as const }, 'none'],
])('%o → %s', (choice, expected) => {
  expect(themeFor(choice)).toBe(expected);
});

test('a theme without colours adds nothing, and one with colours survives nesting', () => {
  const none = createTheme('none');
  expect([none.bold('x'), none.syntax('keyword', 'if'), none.removed('-')]).toEqual(['x', 'if', '-']);
  const basic = createTheme('basic');
  expect(basic.good(`a${basic.bad('b')}c`)).toBe('\x1b[32ma\x1b[31mb\x1b[39m\x1b[32mc\x1b[39m');
  expect(basic.syntax('title.function', 'f')).toBe('\x1b[36mf\x1b[39m');
});
