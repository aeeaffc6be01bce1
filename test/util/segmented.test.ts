import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/testing/index.ts';
import { Segment, segmented } from '../../src/util/async/segmented.ts';

/** Gives the results of these functions, one at a time. */
class Given extends Segment<string> {
  readonly #items: (() => string | Promise<string>)[];

  constructor(...items: (() => string | Promise<string>)[]) {
    super();
    this.#items = items;
  }

  async next(): Promise<string | undefined> {
    return this.#items.shift()?.();
  }
}

const say = (text: string) => () => text;

describe('segmented', () => {
  it('gives the items of the generator and of its segments in order, and the return value', async () => {
    async function* generator() {
      yield 'one';
      yield new Given(say('two'), say('three'));
      yield new Given();
      yield 'four';
      return 'end';
    }
    const items = segmented<string, string>(generator());
    const got: string[] = [];
    let step = await items.next();
    for (; step.done !== true; step = await items.next()) got.push(step.value);
    expect(got).toEqual(['one', 'two', 'three', 'four']);
    expect(step.value).toBe('end');
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it('asks for an item only when the one before it was taken', async () => {
    const asked: string[] = [];
    const note = (text: string) => () => {
      asked.push(text);
      return text;
    };
    async function* generator() {
      yield new Given(note('one'), note('two'));
      asked.push('resumed');
    }
    const items = segmented(generator());
    await items.next();
    expect(asked).toEqual(['one']);
    await items.next();
    expect(asked).toEqual(['one', 'two']);
    await items.next();
    expect(asked).toEqual(['one', 'two', 'resumed']);
  });

  it('throws an error of a segment where the generator yielded it', async () => {
    async function* generator() {
      try {
        yield new Given(say('one'), () => Promise.reject(new Error('broken')));
      } catch (error) {
        yield `caught ${(error as Error).message}`;
      }
      yield 'after';
    }
    const items = segmented(generator());
    expect(await items.next()).toEqual({ done: false, value: 'one' });
    expect(await items.next()).toEqual({ done: false, value: 'caught broken' });
    expect(await items.next()).toEqual({ done: false, value: 'after' });
  });

  it('rejects with an error that the generator does not catch, after its cleanup', async () => {
    const log: string[] = [];
    async function* generator() {
      try {
        yield new Given(() => Promise.reject(new Error('broken')));
      } finally {
        log.push('finally');
      }
    }
    const items = segmented(generator());
    await expect(items.next()).rejects.toThrow('broken');
    expect(log).toEqual(['finally']);
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it.each(['return', 'throw'] as const)(
    '%s() waits for the pending item, then runs the cleanup',
    async (how) => {
      const gate = deferred();
      const log: string[] = [];
      async function* generator(): AsyncGenerator<Given, string, void> {
        try {
          yield new Given(say('one'), async () => {
            await gate.promise;
            return 'two';
          });
          return 'end';
        } finally {
          log.push('finally');
        }
      }
      const items = segmented<string, string>(generator());
      await items.next();
      const pending = items.next();
      const ended = how === 'return' ? items.return('bye') : items.throw(new Error('stop'));
      ended.catch(() => {});
      await Promise.resolve();
      expect(log).toEqual([]);
      gate.resolve();
      expect(await pending).toEqual({ done: false, value: 'two' });
      if (how === 'return') expect(await ended).toEqual({ done: true, value: 'bye' });
      else await expect(ended).rejects.toThrow('stop');
      expect(log).toEqual(['finally']);
      expect(await items.next()).toEqual({ done: true, value: undefined });
    },
  );

  it('yields what the generator yields while it is ended', async () => {
    async function* generator() {
      try {
        yield new Given(say('one'));
      } finally {
        yield new Given(say('last'));
      }
    }
    const items = segmented<string, void>(generator());
    await items.next();
    expect(await items.return()).toEqual({ done: false, value: 'last' });
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });
});
