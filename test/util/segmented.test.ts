import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/testing/index.ts';
import { Relay, Segment, segmented } from '../../src/util/async/segmented.ts';

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

  describe('a generator that another one takes over from', () => {
    function counting(log: string[], last = 9, gate: Promise<void> = Promise.resolve()) {
      async function* generator(n: number): AsyncGenerator<string, number | Relay<string, number>, void> {
        try {
          yield `${n} first`;
          await gate;
          if (n % 2 === 1) yield `${n} second`;
          return n === last ? n : new Relay(generator(n + 1));
        } finally {
          log.push(`${n} ended`);
        }
      }
      return segmented<string, number>(generator(1));
    }

    it('is followed by it, whose items are the next ones', async () => {
      const log: string[] = [];
      const items = counting(log, 3);
      const got: string[] = [];
      let step = await items.next();
      for (; step.done !== true; step = await items.next()) {
        got.push(step.value);
        if (step.value === '2 first') expect(log).toEqual(['1 ended']);
      }
      expect(got).toEqual(['1 first', '1 second', '2 first', '3 first', '3 second']);
      expect(step.value).toBe(3);
      expect(await items.next()).toEqual({ done: true, value: undefined });
    });

    it('is followed by the next but one when that has no items', async () => {
      async function* none(n: number): AsyncGenerator<string, number | Relay<string, number>, void> {
        return n === 3 ? n : new Relay(none(n + 1));
      }
      expect(await segmented<string, number>(none(1)).next()).toEqual({ done: true, value: 3 });
    });

    it('return() and throw() reach the one that runs, and no other one starts', async () => {
      for (const how of ['return', 'throw'] as const) {
        const log: string[] = [];
        const items = counting(log);
        for (let n = 0; n < 3; n++) await items.next();
        if (how === 'return') expect(await items.return(7)).toEqual({ done: true, value: 7 });
        else await expect(items.throw(new Error('no more'))).rejects.toThrow('no more');
        expect(log).toEqual(['1 ended', '2 ended']);
        expect(await items.next()).toMatchObject({ done: true });
        expect(log).toHaveLength(2);
      }
    });

    it('return() waits for a pending item, and ends the generator that gave it', async () => {
      const gate = deferred();
      const log: string[] = [];
      const items = counting(log, 9, gate.promise);
      await items.next();
      await Promise.all([items.next(), gate.resolve()]);
      const pending = items.next();
      const returned = items.return(7);
      expect(await pending).toEqual({ done: false, value: '2 first' });
      expect(await returned).toEqual({ done: true, value: 7 });
      expect(log).toEqual(['1 ended', '2 ended']);
    });
  });
});
