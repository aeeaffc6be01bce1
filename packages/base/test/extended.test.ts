import { describe, expect, it } from 'vitest';
import { extended } from '../src/collections/extended.ts';
import { hiddenClasses, loadApart } from './hidden-classes.ts';

describe('extended', () => {
  it('is a spread: later fields replace earlier ones, at the place of the first', () => {
    const made = extended({ a: 1, b: 2 }, { b: 3, c: 4 }, { d: 5 });
    expect(made).toEqual({ a: 1, b: 3, c: 4, d: 5 });
    expect(Object.keys(made)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('adds nothing for false and for undefined, and leaves its arguments as they are', () => {
    const object = { a: 1 };
    expect(extended(object, false, undefined)).toEqual({ a: 1 });
    expect(extended(object, { b: 2 })).not.toBe(object);
    expect(object).toEqual({ a: 1 });
  });

  // Where each result had a class of its own, each read of a field was a lookup.
  it.each([1, 4, 12, 40])('gives its results one hidden class, with %i fields to begin with', (fields) => {
    const file = new URL('../src/collections/extended.ts', import.meta.url);
    const { module, evaluate } = loadApart<{ extended: typeof extended }>(file);
    const object = evaluate<(n: number) => object>(
      `(n) => Object.fromEntries(Array.from({ length: ${fields} }, (_, i) => ['field' + i, i + n]))`,
    );
    const added = evaluate<(n: number) => object>('(n) => ({ added: n, another: 1 })');
    const results = Array.from({ length: 200 }, (_, n) => module.extended(object(n), added(n)));
    expect(hiddenClasses(results)).toBe(1);
  });
});
