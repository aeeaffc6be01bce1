/** Spellings that reach a file under another name on some systems. */
import { expect, it } from 'vitest';
import { isOddSpelling } from '../../src/permissions/decide/protected-path.ts';

it.each([
  ['a null character', 'a\0b'],
  ['a path of another computer', '\\\\server\\share'],
  ['a device path', '//?/C:/a'],
  ['a device path', '//./COM1'],
  ['an alternate stream', '.env::$DATA'],
  ['a short name', 'SETTIN~1.JSO'],
  ['a short name in wide letters', 'SETTIN～１.JSO'],
])('%s is odd: %j', (_, path) => {
  expect(isOddSpelling(path)).toBe(true);
});

it.each(['/home/me/.claude/settings.json', '~/notes', 'a~b', '//home/me', 'C:/a', 'price$DATA'])(
  '%j is not',
  (path) => {
    expect(isOddSpelling(path)).toBe(false);
  },
);
