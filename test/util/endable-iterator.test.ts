import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/testing/index.ts';
import { endableIterator } from '../../src/util/async/endable-iterator.ts';

/** Yields once, then waits for something that only an abort brings. */
function waiting() {
  const gate = deferred();
  const log: string[] = [];
  async function* generator(): AsyncGenerator<string, string, void> {
    try {
      yield 'first';
      await gate.promise;
      yield 'second';
      return 'end';
    } finally {
      log.push('finally');
    }
  }
  const iterator = endableIterator(generator(), (how) => {
    log.push(how);
    gate.resolve();
  });
  return { iterator, log, gate };
}

describe('endableIterator', () => {
  it('passes values and the return value through', async () => {
    const { iterator, gate, log } = waiting();
    gate.resolve();
    expect(await iterator.next()).toEqual({ done: false, value: 'first' });
    expect(await iterator.next()).toEqual({ done: false, value: 'second' });
    expect(await iterator.next()).toEqual({ done: true, value: 'end' });
    expect(log).toEqual(['finally']);
  });

  it('ends a generator that is waiting: the abort comes first, then its cleanup', async () => {
    const { iterator, log } = waiting();
    await iterator.next();
    const pending = iterator.next();
    const returned = iterator.return('bye');
    expect(log).toEqual(['return']);
    expect(await pending).toEqual({ done: false, value: 'second' });
    expect(await returned).toEqual({ done: true, value: 'bye' });
    expect(log).toEqual(['return', 'finally']);
  });

  it('does the same for an error thrown into it', async () => {
    const { iterator, log } = waiting();
    await iterator.next();
    const pending = iterator.next();
    const thrown = iterator.throw(new Error('no more'));
    await pending;
    await expect(thrown).rejects.toThrow('no more');
    expect(log).toEqual(['throw', 'finally']);
  });

  it('is what for await sees: leaving the loop ends the generator', async () => {
    const { iterator, log } = waiting();
    for await (const value of iterator) {
      expect(value).toBe('first');
      break;
    }
    expect(log).toEqual(['return', 'finally']);
  });

  it('ends with its block under await using', async () => {
    const { iterator, log } = waiting();
    await iterator.next();
    await iterator[Symbol.asyncDispose]();
    expect(log).toEqual(['return', 'finally']);
  });

  it('aborts as well when it is ended after its end', async () => {
    const { iterator, gate, log } = waiting();
    gate.resolve();
    while (!(await iterator.next()).done);
    await iterator.return('late');
    expect(log).toEqual(['finally', 'return']);
  });
});
