import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainCommand, plainWords } from '../../src/shell/reading/plain-command.ts';

describe('a plain command', () => {
  it.each([
    ['git status', ['git', 'status']],
    ['  npm   run test  ', ['npm', 'run', 'test']],
    ['git log --format=%H -n 5', ['git', 'log', '--format=%H', '-n', '5']],
    [`git commit -m "a; b | c"`, ['git', 'commit', '-m', 'a; b | c']],
    [`echo 'x && $(y)'`, ['echo', 'x && $(y)']],
    [`git com"mit"`, ['git', 'commit']],
    ['./node_modules/.bin/vitest run a.test.ts', ['./node_modules/.bin/vitest', 'run', 'a.test.ts']],
  ])('F87 %s', (command, words) => {
    expect(plainWords(command)).toEqual(words);
  });
});

describe('F85 anything else is not plain', () => {
  it.each([
    'git status && rm -rf x',
    'a; b',
    'a & b',
    'a | sh',
    'a |& b',
    'a || b',
    'echo $(rm y)',
    'echo `rm y`',
    'ls\nrm y',
    'ls\rrm y',
    'ls > /etc/x',
    'ls >> x',
    'cat < x',
    'cat <(curl e)',
    'echo "$(rm y)"',
    'echo "`rm`"',
    'echo "${x:-y}"',
    'X=rm ls',
    '=ls',
    'r\\m y',
    "$'\\x72m' y",
    'cat$IFS/etc/passwd',
    '{rm,y}',
    'ls *.ts',
    'ls a?',
    'ls [ab]',
    'ls ~',
    'ls # x',
    '(ls)',
    '! ls',
    'ls "a',
    "ls 'a",
    'ls \u00a0x',
    'ls\u200bx',
    'ls \u202ex',
    'ls\tx',
    'ls \0',
    'LD_PRELOAD=x ls',
    'echo "hi!"',
    '',
    '   ',
    'x'.repeat(10_001),
    '"rm y"',
    '-x',
  ])('%j', (command) => {
    expect(isPlainCommand(command)).toBe(false);
  });

  it('holds wherever a dangerous character stands outside quotes', () => {
    const dangerous = fc.constantFrom(
      ...';&|<>()$`\\"\'\n\r*?[]{}~#!^\u00a0\0'.split('').filter((c) => c !== '"' && c !== "'"),
    );
    const safe = fc.string({ unit: fc.constantFrom(...'abc -/.=:'.split('')), maxLength: 20 });
    fc.assert(
      fc.property(safe, dangerous, safe, (before, char, after) => {
        expect(isPlainCommand(`ls ${before}${char}${after}`)).toBe(false);
      }),
    );
  });
});
