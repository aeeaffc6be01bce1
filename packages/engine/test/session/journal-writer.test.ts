import { isLong } from '@turnwright/test/long-form.ts';
import {
  assistant,
  attachment,
  CWD,
  fixedClock,
  SESSION,
  user,
} from '@turnwright/test/session/sample-journal.ts';
import { describe, expect, it } from 'vitest';
import { TurnwrightError } from '../../src/protocol/errors.ts';
import type { JournalStore } from '../../src/protocol/ports.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import { createJournalWriter } from '../../src/session/journal/journal-writer.ts';
import { createMemoryJournalStore } from '../../src/session/journal/memory-store.ts';
import { readAll, title } from './journal-entries.ts';

const memory = () => createMemoryJournalStore({ cwd: CWD, clock: fixedClock });
const systemError = () => Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });

describe('journal writer', () => {
  it('links each message to the one recorded before, also across a resume', async () => {
    const store = memory();
    const first = await createJournalWriter({ store, sessionId: SESSION });
    await first.append([{ ...user('u1', 'a'), submission: 's1' }, title(1)]);
    await first.append([
      { ...assistant('a1', 'm1', { type: 'text', text: 'b' }), submission: 's1', iteration: 1 },
    ]);
    await first.close();
    const second = await createJournalWriter({ store, sessionId: SESSION });
    await second.append([{ ...attachment('n1'), submission: 's1' }]);
    await second.append([{ ...user('u2', 'a'), submission: 's1', parentUuid: 'u1' }]);
    await second.append([{ ...user('u3', 'a'), submission: 's1' }]);
    const links = (await readAll(store)).flatMap((entry) =>
      'uuid' in entry ? [[entry.uuid, entry.parentUuid]] : [],
    );
    expect(links).toEqual([
      ['u1', null],
      ['a1', 'u1'],
      ['n1', 'a1'],
      ['u2', 'u1'],
      ['u3', 'u2'],
    ]);
  });

  it('finds the last message far behind a long tail of other records', async () => {
    const store = memory();
    const first = await createJournalWriter({ store, sessionId: SESSION });
    await first.append([
      { ...user('u1', 'a'), submission: 's1' },
      ...Array.from({ length: 500 }, (_, n) => title(n)),
    ]);
    await first.close();
    const second = await createJournalWriter({ store, sessionId: SESSION });
    await second.append([{ ...user('u2', 'b'), submission: 's1' }]);
    expect((await readAll(store)).at(-1)).toMatchObject({ parentUuid: 'u1' });
  });

  it('F128 keeps order under concurrency, one store call at a time, however slow the store', async () => {
    const inner = memory();
    let running = 0;
    let calls = 0;
    const store: JournalStore = {
      ...inner,
      async append(...args) {
        calls++;
        expect(++running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return inner.append(...args);
      },
    };
    const writer = await createJournalWriter({ store, sessionId: SESSION });
    await Promise.all(Array.from({ length: 100 }, (_, n) => writer.append([title(n)])));
    expect((await readAll(store)).map((entry) => 'id' in entry && entry.id)).toEqual(
      Array.from({ length: 100 }, (_, n) => `t${n}`),
    );
    expect(writer.head).toBe(100);
    expect(calls).toBe(2);
  });

  it('F128 what the disk refused goes first when it takes records again', async () => {
    const inner = memory();
    let full = false;
    const store: JournalStore = {
      ...inner,
      async append(...args) {
        if (full) {
          const { TurnwrightError } = await import('../../src/protocol/errors.ts');
          throw new TurnwrightError('storage_error', 'full', { cause: systemError() });
        }
        return inner.append(...args);
      },
    };
    const writer = await createJournalWriter({ store, sessionId: SESSION });
    await writer.append([title(1)]);
    full = true;
    await expect(writer.append([title(2), title(3)])).rejects.toMatchObject({ code: 'storage_error' });
    await expect(writer.append([title(4)])).rejects.toMatchObject({ code: 'storage_error' });
    full = false;
    await writer.append([title(5)]);
    expect((await readAll(store)).map((entry) => 'id' in entry && entry.id)).toEqual([
      't1',
      't2',
      't3',
      't4',
      't5',
    ]);
  });

  it('F128 an append that timed out but landed is not written twice', async () => {
    const inner = memory();
    let lose = true;
    const store: JournalStore = {
      ...inner,
      async append(...args) {
        const outcome = await inner.append(...args);
        if (!lose) return outcome;
        lose = false;
        const { TurnwrightError } = await import('../../src/protocol/errors.ts');
        throw new TurnwrightError('storage_error', 'timeout', { cause: systemError() });
      },
    };
    const writer = await createJournalWriter({ store, sessionId: SESSION });
    await expect(writer.append([title(1), title(2)])).rejects.toMatchObject({ code: 'storage_error' });
    await writer.append([title(3)]);
    expect((await readAll(store)).map((entry) => 'id' in entry && entry.id)).toEqual(['t1', 't2', 't3']);
  });

  it.runIf(isLong)('a record that can never be written does not stand in the way of the next', async () => {
    const writer = await createJournalWriter({ store: memory(), sessionId: SESSION });
    const tooLarge: JournalBody = {
      type: 'title',
      id: 'big',
      submission: 's1',
      title: 'x'.repeat(65 * 1024 * 1024),
    };
    await expect(writer.append([tooLarge])).rejects.toMatchObject({ code: 'storage_error' });
    await writer.append([title(1)]);
    expect(writer.head).toBe(1);
  });

  it('rejects with `fenced` once the session was taken over, and says so', async () => {
    const store = memory();
    const loser = await createJournalWriter({ store, sessionId: SESSION });
    await loser.append([title(1)]);
    const winner = await createJournalWriter({ store, sessionId: SESSION });
    expect([loser.epoch, winner.epoch]).toEqual([1, 2]);
    expect(loser.fenced.aborted).toBe(false);
    await expect(loser.append([title(2)])).rejects.toMatchObject({ code: 'fenced' });
    expect(loser.fenced.aborted).toBe(true);
    await expect(loser.append([title(3)])).rejects.toMatchObject({ code: 'fenced' });
    await expect(loser.commit()).rejects.toMatchObject({ code: 'fenced' });
    expect((await readAll(store)).length).toBe(1);
  });

  it.each([
    ['process', 0],
    ['power', 1],
  ] as const)('commit with durability %s syncs %i times', async (durability, times) => {
    const inner = memory();
    let syncs = 0;
    const store: JournalStore = { ...inner, sync: async () => void syncs++ };
    const writer = await createJournalWriter({ store, sessionId: SESSION, durability });
    await writer.append([title(1)]);
    await writer.commit();
    expect(syncs).toBe(times);
  });

  describe('what nothing waits for', () => {
    const ids = async (store: JournalStore) =>
      (await readAll(store)).map((entry) => 'id' in entry && entry.id);

    it('goes out in front of the next append, in one call of the store', async () => {
      const inner = memory();
      const calls: number[] = [];
      const store: JournalStore = {
        ...inner,
        append(...args) {
          calls.push(args[3].length);
          return inner.append(...args);
        },
      };
      const writer = await createJournalWriter({ store, sessionId: SESSION });
      writer.later([title(1)]);
      writer.later([title(2), title(3)]);
      expect(calls).toEqual([]);
      await writer.append([title(4)]);
      expect(calls).toEqual([4]);
      expect(await ids(store)).toEqual(['t1', 't2', 't3', 't4']);
    });

    it('goes out alone once this turn of the event loop is over', async () => {
      const store = memory();
      const writer = await createJournalWriter({ store, sessionId: SESSION });
      writer.later([title(1)]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(await ids(store)).toEqual(['t1']);
    });

    it('is there after a commit, and after close', async () => {
      const store = memory();
      const writer = await createJournalWriter({ store, sessionId: SESSION });
      writer.later([title(1)]);
      await writer.commit();
      expect(await ids(store)).toEqual(['t1']);
      writer.later([title(2)]);
      await writer.close();
      expect(await ids(store)).toEqual(['t1', 't2']);
    });

    it('F71 is kept while the disk is full, and the next append tells of it', async () => {
      const inner = memory();
      let full = true;
      const store: JournalStore = {
        ...inner,
        append(...args) {
          if (full) throw new TurnwrightError('storage_error', 'full', { cause: systemError() });
          return inner.append(...args);
        },
      };
      const writer = await createJournalWriter({ store, sessionId: SESSION });
      writer.later([title(1)]);
      await new Promise((resolve) => setImmediate(resolve));
      await expect(writer.append([title(2)])).rejects.toMatchObject({ code: 'storage_error' });
      full = false;
      await writer.append([title(3)]);
      expect(await ids(store)).toEqual(['t1', 't2', 't3']);
    });
  });

  it('records nothing after close', async () => {
    const writer = await createJournalWriter({ store: memory(), sessionId: SESSION });
    const last = writer.append([title(1)]);
    await writer.close();
    await last;
    await expect(writer.append([title(2)])).rejects.toMatchObject({ code: 'engine_closed' });
    await writer.close();
  });
});
