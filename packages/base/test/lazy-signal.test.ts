import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { withSignal } from '../src/async/lazy-signal.ts';
import { hiddenClasses } from './hidden-classes.ts';

/** A lifetime that counts how often its signal was asked for. */
function lifetime() {
  const { signal } = new AbortController();
  const life = {
    reads: 0,
    get signal() {
      life.reads += 1;
      return signal;
    },
  };
  return { life, signal };
}

describe('a signal that is created when it is first read', () => {
  it('is that of the lifetime, and is not read before', () => {
    const { life, signal } = lifetime();
    const object = withSignal({ name: 'call' }, life);
    expect(life.reads).toBe(0);
    expect(object.signal).toBe(signal);
    expect(Object.keys(object)).toEqual(['name', 'signal']);
  });

  it('is copied by a spread', () => {
    const { life, signal } = lifetime();
    expect({ ...withSignal({}, life) }).toHaveProperty('signal', signal);
  });

  it('does not show the lifetime to a caller that prints the object', () => {
    const { life } = lifetime();
    expect(inspect(withSignal({ name: 'call' }, life))).toBe("{ name: 'call', signal: [Getter] }");
    expect(life.reads).toBe(0);
  });

  // A getter in an object literal makes each of them a dictionary.
  it('leaves the objects of one kind one hidden class', () => {
    const { life } = lifetime();
    const objects = Array.from({ length: 200 }, (_, n) => withSignal({ id: n, name: 'call' }, life));
    expect(hiddenClasses(objects)).toBe(1);
  });
});
