import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/testing/index.ts';
import { flattened } from '../../src/util/async/flattened.ts';

/** Batches, and what the generator saw. */
function batches(seen: string[]) {
  async function* generate(): AsyncGenerator<readonly number[], string, void> {
    try {
      yield [1, 2];
      seen.push('after 2');
      yield [];
      yield [3];
      return 'done';
    } catch (error) {
      seen.push(`caught ${String(error)}`);
      throw error;
    } finally {
      seen.push('finally');
    }
  }
  return generate();
}

describe('flattened', () => {
  it('gives the items in order; the generator goes on only when a batch is used up', async () => {
    const seen: string[] = [];
    const items = flattened(batches(seen));
    expect([await items.next(), await items.next()]).toEqual([
      { done: false, value: 1 },
      { done: false, value: 2 },
    ]);
    expect(seen).toEqual([]);
    expect(await items.next()).toEqual({ done: false, value: 3 });
    expect(seen).toEqual(['after 2']);
    expect(await items.next()).toEqual({ done: true, value: 'done' });
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it('answers calls that come at once in their order', async () => {
    const items = flattened(batches([]));
    const steps = await Promise.all([items.next(), items.next(), items.next(), items.next()]);
    expect(steps.map(({ value }) => value)).toEqual([1, 2, 3, 'done']);
  });

  it('who asks while another waits for its item comes behind it', async () => {
    const inner = (async function* () {
      yield [1, 2, 3];
    })();
    const asked: Promise<IteratorResult<number>>[] = [];
    const items = flattened<number, void>(
      Object.assign(Object.create(inner) as typeof inner, {
        next() {
          const step = inner.next();
          // As soon as the batch has come, and before anybody has an item of it.
          queueMicrotask(() => void step.then(() => asked.push(items.next())));
          return step;
        },
      }),
    );
    asked.push(items.next(), items.next());
    await asked[1];
    const values = (await Promise.all(asked)).map(({ value }) => value);
    expect(values).toEqual([1, 2, 3]);
  });

  it('return and throw reach the generator, and drop what was left of the batch', async () => {
    const seen: string[] = [];
    const left = flattened(batches(seen));
    await left.next();
    expect(await left.return('left')).toEqual({ done: true, value: 'left' });
    expect(await left.next()).toMatchObject({ done: true });
    const thrown = flattened(batches(seen));
    await thrown.next();
    await expect(thrown.throw('why')).rejects.toBe('why');
    expect(seen).toEqual(['finally', 'caught why', 'finally']);
  });

  it('asks before each item whether it is still wanted', async () => {
    let wanted = true;
    const dropped = flattened(batches([]), () => wanted);
    await dropped.next();
    wanted = false;
    expect(await dropped.next()).toEqual({ done: true, value: 'done' });
    wanted = true;
    const refused = flattened(batches([]), () => {
      if (!wanted) throw new Error('enough');
      return true;
    });
    await refused.next();
    wanted = false;
    await expect(refused.next()).rejects.toThrow('enough');
  });

  it.each(['return', 'throw'] as const)(
    '%s() beside a pending next(): what still comes is dropped',
    async (how) => {
      const gate = deferred<void>();
      const inner = (async function* () {
        await gate.promise;
        yield [1, 2];
        yield [3];
      })();
      const items = flattened<number, void>(inner);
      const pending = items.next();
      const ending = how === 'return' ? items.return() : items.throw(new Error('mine')).catch(() => {});
      gate.resolve();
      await ending;
      expect(await pending).toEqual({ done: true, value: undefined });
      expect(await items.next()).toEqual({ done: true, value: undefined });
    },
  );

  it('a batch that is not wanted any more when it comes is dropped', async () => {
    let wanted = true;
    const gate = deferred<void>();
    const inner = (async function* () {
      await gate.promise;
      yield [1, 2];
    })();
    const items = flattened<number, void>(inner, () => wanted);
    const pending = items.next();
    wanted = false;
    gate.resolve();
    expect(await pending).toEqual({ done: true, value: undefined });
  });
});
