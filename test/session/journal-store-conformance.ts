/** What every JournalStore promises. Each adapter runs the same suite (F128). */
import { afterEach, describe, expect, it } from 'vitest';
import type { JournalBody, JournalEntry } from '../../src/protocol/journal.ts';
import type { JournalStore } from '../../src/protocol/ports.ts';
import { SESSION, user } from './sample-journal.ts';

export interface StoreUnderTest {
  readonly store: JournalStore;
  dispose(): Promise<void>;
}

export const title = (n: number): JournalBody => ({
  type: 'title',
  id: `t${n}`,
  submission: 's1',
  title: `title ${n}`,
});

export async function readAll(
  store: JournalStore,
  fromSeq?: number,
  session = SESSION,
): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(session, fromSeq)) entries.push(entry);
  return entries;
}

const ids = (entries: readonly JournalEntry[]) =>
  entries.map((entry) => ('id' in entry ? entry.id : 'uuid' in entry ? entry.uuid : ''));

export function journalStoreConformance(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`journal store: ${name}`, () => {
    let under: StoreUnderTest | undefined;
    const start = async () => {
      under = await open();
      return under.store;
    };
    afterEach(async () => {
      await under?.store.close(SESSION);
      await under?.dispose();
      under = undefined;
    });

    it('creates a session when it is taken over', async () => {
      const store = await start();
      expect(await store.exists(SESSION)).toBe(false);
      expect(await store.takeOver(SESSION)).toEqual({ epoch: 1, head: 0 });
      expect(await store.exists(SESSION)).toBe(true);
      expect(await readAll(store)).toEqual([]);
    });

    it('gives back what was appended, in order, with its envelope', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      const prompt: JournalBody = {
        ...user('u1', 'héllo "\u2028" \ud83d\ude00'),
        submission: 's1',
        parentUuid: null,
      };
      expect(await store.append(SESSION, 1, 0, [title(1), prompt])).toEqual({ seq: 2 });
      expect(await store.append(SESSION, 1, 2, [title(2)])).toEqual({ seq: 3 });
      const entries = await readAll(store);
      expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(entries[1]).toMatchObject({ ...prompt, v: 1, epoch: 1, sessionId: SESSION });
      expect(entries[0]?.cwd).not.toBe('');
      expect(Date.parse(entries[0]?.timestamp ?? '')).not.toBeNaN();
    });

    it('reads from a record on', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      await store.append(SESSION, 1, 0, [1, 2, 3, 4].map(title));
      expect(ids(await readAll(store, 3))).toEqual(['t3', 't4']);
      expect(await readAll(store, 5)).toEqual([]);
    });

    it('is not changed by what the caller does to its objects afterwards', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      const body = { type: 'title' as const, id: 't1', submission: 's1', title: 'before' };
      const appended = store.append(SESSION, 1, 0, [body]);
      body.title = 'after';
      await appended;
      expect((await readAll(store))[0]).toMatchObject({ title: 'before' });
    });

    it('F128 keeps the order of appends that were not waited for', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, n) => store.append(SESSION, 1, n, [title(n)])),
      );
      expect(outcomes).toEqual(Array.from({ length: 50 }, (_, n) => ({ seq: n + 1 })));
      expect(ids(await readAll(store))).toEqual(Array.from({ length: 50 }, (_, n) => `t${n}`));
    });

    it('F128 an append that is made twice lands once', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      await store.append(SESSION, 1, 0, [title(1), title(2)]);
      await store.append(SESSION, 1, 2, [title(3)]);
      expect(await store.append(SESSION, 1, 0, [title(1), title(2)])).toEqual({ seq: 2 });
      expect(ids(await readAll(store))).toEqual(['t1', 't2', 't3']);
    });

    it('F128 refuses an append that leaves a gap, or that follows another record than the last', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      await store.append(SESSION, 1, 0, [title(1), title(2)]);
      await expect(store.append(SESSION, 1, 5, [title(6)])).rejects.toMatchObject({ code: 'storage_error' });
      await expect(store.append(SESSION, 1, 1, [title(9)])).rejects.toMatchObject({ code: 'storage_error' });
      expect(ids(await readAll(store))).toEqual(['t1', 't2']);
      expect(await store.append(SESSION, 1, 2, [title(3)])).toEqual({ seq: 3 });
    });

    it('fences every earlier epoch', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      await store.append(SESSION, 1, 0, [title(1)]);
      expect(await store.takeOver(SESSION)).toEqual({ epoch: 2, head: 1 });
      expect(await store.append(SESSION, 1, 1, [title(2)])).toEqual({ fenced: true });
      expect(await store.append(SESSION, 2, 1, [title(3)])).toEqual({ seq: 2 });
      expect(ids(await readAll(store))).toEqual(['t1', 't3']);
    });

    it('an append is whole or not at all', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      const tooLarge: JournalBody = {
        type: 'title',
        id: 'big',
        submission: 's1',
        title: 'x'.repeat(65 * 1024 * 1024),
      };
      await expect(store.append(SESSION, 1, 0, [title(1), tooLarge])).rejects.toMatchObject({
        code: 'storage_error',
      });
      expect(await readAll(store)).toEqual([]);
      expect(await store.append(SESSION, 1, 0, [title(1)])).toEqual({ seq: 1 });
    });

    it('takes data that JSON does not', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      const cycle: Record<string, unknown> = { big: 10n ** 20n };
      cycle['self'] = cycle;
      const body: JournalBody = {
        ...user('u1', 'x'),
        submission: 's1',
        parentUuid: null,
        toolUseResult: [cycle, cycle],
      };
      expect(await store.append(SESSION, 1, 0, [body])).toEqual({ seq: 1 });
      const once = { big: '100000000000000000000', self: '[circular]' };
      expect((await readAll(store))[0]).toMatchObject({ toolUseResult: [once, once] });
    });

    it('keeps sessions apart, and refuses ids that are paths', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      await store.takeOver('other');
      await store.append('other', 1, 0, [title(1)]);
      expect(await readAll(store)).toEqual([]);
      await expect(store.takeOver('../evil')).rejects.toMatchObject({ code: 'invalid_option' });
      await store.close('other');
    });

    it('writes nothing after close until it is taken over again', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      await store.append(SESSION, 1, 0, [title(1)]);
      await store.close(SESSION);
      await store.close(SESSION);
      await expect(store.append(SESSION, 1, 1, [title(2)])).rejects.toMatchObject({ code: 'storage_error' });
      expect(ids(await readAll(store))).toEqual(['t1']);
      expect(await store.takeOver(SESSION)).toEqual({ epoch: 2, head: 1 });
    });

    it('records of an unknown type and copies of read entries survive', async () => {
      const store = await start();
      await store.takeOver(SESSION);
      const odd = {
        type: 'from-the-future',
        id: 'f1',
        submission: 's1',
        payload: [1],
      } as unknown as JournalBody;
      await store.append(SESSION, 1, 0, [odd]);
      await store.takeOver('copy');
      await store.append('copy', 1, 0, await readAll(store));
      expect((await readAll(store, 1, 'copy'))[0]).toMatchObject({
        ...odd,
        sessionId: 'copy',
        seq: 1,
        epoch: 1,
      });
      await store.close('copy');
    });
  });
}
