import { deferred } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { ConsumerLeft, type Output } from '../src/async/batch-output.ts';
import { Door, type DoorTerms } from '../src/async/door.ts';

/** Emits two batches, waits for the gate, and emits another one; `seen` is what the producer got to see. */
function counting(terms: DoorTerms<number> = {}, gate: Promise<void> = Promise.resolve()) {
  const seen: string[] = [];
  const produce = async (output: Output<number>): Promise<string> => {
    seen.push('started');
    try {
      await output.emit([1, 2]);
      seen.push('after 2');
      await output.emit([]);
      await gate;
      await output.emit([3]);
      return 'done';
    } catch (error) {
      seen.push((error as Error).name);
      throw error;
    } finally {
      seen.push('ended');
    }
  };
  return { door: new Door(produce, terms), seen };
}

describe('a door', () => {
  it('gives the items in order; the producer starts with the first read and goes on when a batch is used up', async () => {
    const { door, seen } = counting();
    expect(seen).toEqual([]);
    expect(await door.next()).toEqual({ done: false, value: 1 });
    expect(await door.next()).toEqual({ done: false, value: 2 });
    await new Promise(setImmediate);
    expect(seen).toEqual(['started']);
    expect(await door.next()).toEqual({ done: false, value: 3 });
    expect(seen).toEqual(['started', 'after 2']);
    expect(await door.next()).toEqual({ done: true, value: 'done' });
    expect(await door.next()).toEqual({ done: true, value: undefined });
  });

  it('answers reads that come at once in their order, and lets the producer go on without a wait', async () => {
    const waits: boolean[] = [];
    const door = new Door<number, string>(async (output) => {
      for (const batch of [[1, 2], [3], [4]]) {
        const taken = output.emit(batch);
        waits.push(taken !== undefined);
        await taken;
      }
      return 'done';
    });
    const reads = Array.from({ length: 6 }, () => door.next());
    expect((await Promise.all(reads)).map(({ value }) => value)).toEqual([1, 2, 3, 4, 'done', undefined]);
    // The first batch came within the first read.
    expect(waits).toEqual([true, false, false]);
  });

  it('is what for await reads, and leaving its loop ends the producer', async () => {
    const aborts: string[] = [];
    const { door, seen } = counting({ abort: (how) => aborts.push(how) });
    for await (const value of door) {
      expect(value).toBe(1);
      break;
    }
    expect(aborts).toEqual(['return']);
    expect(seen).toEqual(['started', 'ConsumerLeft', 'ended']);
    expect(await door.next()).toEqual({ done: true, value: undefined });
  });

  it('ends with its block under await using', async () => {
    const { door, seen } = counting();
    await door.next();
    await door[Symbol.asyncDispose]();
    expect(seen).toEqual(['started', 'ConsumerLeft', 'ended']);
  });

  it.each(['return', 'throw'] as const)(
    '%s() beside a pending read aborts first, waits for the end, and drops what still comes',
    async (how) => {
      const gate = deferred<void>();
      const log: string[] = [];
      const { door, seen } = counting(
        {
          abort(said) {
            log.push(said);
            gate.resolve();
          },
        },
        gate.promise,
      );
      await door.next();
      await door.next();
      const pending = door.next();
      const ending = how === 'return' ? door.return('bye') : door.throw(new Error('mine'));
      expect(log).toEqual([how]);
      if (how === 'return') expect(await ending).toEqual({ done: true, value: 'bye' });
      else await expect(ending).rejects.toThrow('mine');
      expect(seen.at(-1)).toBe('ended');
      expect(await pending).toEqual({ done: true, value: undefined });
      expect(await door.next()).toEqual({ done: true, value: undefined });
    },
  );

  it('a pending read gets what an aborted producer returns by itself', async () => {
    const gate = deferred<void>();
    const door = new Door<number, string>(
      async () => {
        await gate.promise;
        return 'aborted';
      },
      { abort: () => gate.resolve() },
    );
    const pending = door.next();
    expect(await door.return('bye')).toEqual({ done: true, value: 'bye' });
    expect(await pending).toEqual({ done: true, value: 'aborted' });
  });

  it('a producer that was never asked does not start, and one that has ended is aborted all the same', async () => {
    const aborts: string[] = [];
    const terms = { abort: (how: string) => void aborts.push(how) };
    const unread = counting(terms);
    expect(await unread.door.return('bye')).toEqual({ done: true, value: 'bye' });
    expect(await unread.door.next()).toEqual({ done: true, value: undefined });
    const failing = counting(terms);
    await expect(failing.door.throw(new Error('mine'))).rejects.toThrow('mine');
    expect([unread.seen, failing.seen]).toEqual([[], []]);
    const read = counting(terms);
    while (!(await read.door.next()).done);
    await read.door.return('late');
    expect(aborts).toEqual(['return', 'throw', 'return']);
  });

  it('an error of the producer comes out of one read', async () => {
    const door = new Door<number, void>(async (output) => {
      await output.emit([1]);
      throw new Error('broken');
    });
    await door.next();
    await expect(door.next()).rejects.toThrow('broken');
    expect(await door.next()).toEqual({ done: true, value: undefined });
  });

  it('an error while the producer is ended comes out of return()', async () => {
    const door = new Door<number, void>(async (output) => {
      await output.emit([1])?.catch(() => {
        throw new Error('not cleaned up');
      });
    });
    await door.next();
    await expect(door.return()).rejects.toThrow('not cleaned up');
  });

  it('asks before each item and batch whether it is still wanted', async () => {
    let wanted = true;
    const { door } = counting({ wanted: () => wanted });
    await door.next();
    wanted = false;
    expect(await door.next()).toEqual({ done: true, value: 'done' });
  });

  it.each([1, 2])(
    'a refusal after %i items stops the producer, and is thrown once it has ended',
    async (items) => {
      let wanted = true;
      const { door, seen } = counting({
        wanted() {
          if (!wanted) throw new Error('enough');
          return true;
        },
      });
      for (let n = 0; n < items; n++) await door.next();
      wanted = false;
      await expect(door.next()).rejects.toThrow('enough');
      expect(seen.at(-1)).toBe('ended');
      expect(await door.next()).toEqual({ done: true, value: undefined });
    },
  );

  it('batches are what `passing` makes of them, and items of `beside` come in between', async () => {
    const beside: number[] = [];
    const gate = deferred<void>();
    const { door } = counting(
      { passing: (batch) => batch.map((n) => n * 10), beside: () => beside.splice(0) },
      gate.promise,
    );
    expect(await door.next()).toEqual({ done: false, value: 10 });
    beside.push(1);
    expect(await door.next()).toEqual({ done: false, value: 20 });
    expect(await door.next()).toEqual({ done: false, value: 1 });
    const pending = door.next();
    beside.push(2);
    door.look();
    expect(await pending).toEqual({ done: false, value: 2 });
    gate.resolve();
    await new Promise(setImmediate);
    beside.push(3);
    expect([await door.next(), await door.next()].map(({ value }) => value)).toEqual([3, 30]);
  });

  it('emit fails once the consumer has left', async () => {
    let output: Output<number> | undefined;
    const door = new Door<number, void>(async (given) => {
      output = given;
      await given.emit([1]);
    });
    await door.next();
    await door.return();
    expect(() => output?.emit([2])).toThrow(ConsumerLeft);
  });
});
