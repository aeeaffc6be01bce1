/** What the words of `--verify` come to. */
import { describe, expect, it } from 'vitest';
import { verifyConditions } from '../../src/options/verify-conditions.ts';

describe('--verify', () => {
  const read = (...words: readonly string[]) =>
    words.reduce<object | undefined>(
      (previous, each) => verifyConditions.read?.(each, previous as never) as object,
      undefined,
    );

  it.each([
    [['npm test', 'npm run lint'], { commands: ['npm test', 'npm run lint'] }],
    [
      ['{"exist":["dist"],"attempts":0}', 'npm test'],
      { exist: ['dist'], attempts: 0, commands: ['npm test'] },
    ],
    [['{ npm test; }'], { commands: ['{ npm test; }'] }],
  ])('%j', (words, conditions) => {
    expect(read(...words)).toEqual(conditions);
    expect(verifyConditions.accepts(conditions)).toBe(true);
  });

  it.each([
    { comands: ['npm test'] },
    { commands: 'npm test' },
    { commands: [''] },
    { commands: [{ run: 'x', timeoutMs: -1 }] },
    { attempts: 1.5 },
    { judge: { model: 'haiku' } },
    ['npm test'],
  ])('%j is refused', (given) => {
    expect(verifyConditions.accepts(given)).toBe(false);
  });
});
