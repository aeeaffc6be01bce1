/** Requirements of every `JournalStore` (F128). */

import type { JournalStore } from '@turnwright/engine/protocol/ports.ts';
import type { JournalBody, JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { type Check, makeChecks, type Open, type Requirements } from './check.ts';
import { equal, hasFields, holds, refuses } from './demand.ts';

const S = '0e4b1c52-58f3-4c13-9d2e-1f00a3b5c7d9';

function named(n: number, customTitle = `title ${n}`): JournalBody {
  return { type: 'custom-title', id: `t${n}`, submission: 's1', customTitle };
}

function said(uuid: string, content: string, more: object = {}): JournalBody {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const message = { role: 'user' as const, content };
  return { type: 'user', uuid, timestamp, message, submission: 's1', parentUuid: null, ...more };
}

async function all(store: JournalStore, fromSeq?: number, session = S): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(session, fromSeq)) entries.push(entry);
  return entries;
}

const ids = (entries: readonly JournalEntry[]) =>
  entries.map((entry) => ('uuid' in entry ? entry.uuid : entry.id));

/** Who writes to a session, from when and until when. */
const TAKING_OVER: Requirements<JournalStore> = {
  async 'creates a session when it is taken over'(store) {
    equal(await store.exists(S), false);
    equal(await store.takeOver(S), { epoch: 1, head: 0 });
    equal(await store.exists(S), true);
    equal(await all(store), []);
  },

  async 'fences every earlier epoch'(store) {
    await store.takeOver(S);
    await store.append(S, 1, 0, [named(1)]);
    equal(await store.takeOver(S), { epoch: 2, head: 1 });
    equal(await store.append(S, 1, 1, [named(2)]), { fenced: true });
    equal(await store.append(S, 2, 1, [named(3)]), { seq: 2 });
    equal(ids(await all(store)), ['t1', 't3']);
  },

  async 'keeps sessions apart, and refuses ids that are paths'(store) {
    await store.takeOver(S);
    await store.takeOver('other');
    await store.append('other', 1, 0, [named(1)]);
    equal(await all(store), []);
    await refuses(() => store.takeOver('../evil'), 'invalid_option');
    await store.close('other');
  },

  async 'writes nothing after close until it is taken over again'(store) {
    await store.takeOver(S);
    await store.append(S, 1, 0, [named(1)]);
    await store.close(S);
    await store.close(S);
    await refuses(() => store.append(S, 1, 1, [named(2)]), 'storage_error');
    equal(ids(await all(store)), ['t1']);
    equal(await store.takeOver(S), { epoch: 2, head: 1 });
  },
};

/** What is read is what was appended. */
const CONTENT: Requirements<JournalStore> = {
  async 'gives back what was appended, in order, with its envelope'(store) {
    await store.takeOver(S);
    const prompt = said('u1', 'héllo "\u2028" \ud83d\ude00');
    equal(await store.append(S, 1, 0, [named(1), prompt]), { seq: 2 });
    equal(await store.append(S, 1, 2, [named(2)]), { seq: 3 });
    const entries = await all(store);
    equal(
      entries.map(({ seq }) => seq),
      [1, 2, 3],
    );
    hasFields(entries[1], { ...prompt, v: 1, epoch: 1, sessionId: S });
    holds(entries[0]?.cwd !== '', 'a working directory');
    holds(!Number.isNaN(Date.parse(entries[0]?.timestamp ?? '')), 'a timestamp');
  },

  async 'reads from a record on'(store) {
    await store.takeOver(S);
    await store.append(
      S,
      1,
      0,
      [1, 2, 3, 4].map((n) => named(n)),
    );
    equal(ids(await all(store, 3)), ['t3', 't4']);
    equal(await all(store, 5), []);
  },

  async 'is not changed by what the caller does to its objects afterwards'(store) {
    await store.takeOver(S);
    const body = { type: 'custom-title' as const, id: 't1', submission: 's1', customTitle: 'before' };
    const appended = store.append(S, 1, 0, [body]);
    body.customTitle = 'after';
    await appended;
    hasFields((await all(store))[0], { customTitle: 'before' });
  },

  async 'takes data that JSON does not'(store) {
    await store.takeOver(S);
    const cycle: Record<string, unknown> = { big: 10n ** 20n };
    cycle['self'] = cycle;
    equal(await store.append(S, 1, 0, [said('u1', 'x', { toolUseResult: [cycle, cycle] })]), {
      seq: 1,
    });
    const once = { big: '100000000000000000000', self: '[circular]' };
    hasFields((await all(store))[0], { toolUseResult: [once, once] });
  },

  async 'records of an unknown type and copies of read entries survive'(store) {
    await store.takeOver(S);
    const odd = {
      type: 'from-the-future',
      id: 'f1',
      submission: 's1',
      payload: [1],
    } as unknown as JournalBody;
    await store.append(S, 1, 0, [odd]);
    await store.takeOver('copy');
    await store.append('copy', 1, 0, await all(store));
    hasFields((await all(store, 1, 'copy'))[0], { ...odd, sessionId: 'copy', seq: 1, epoch: 1 });
    await store.close('copy');
  },
};

/** Appends follow each other without a gap. */
const ORDER: Requirements<JournalStore> = {
  async 'keeps the order of appends that were not waited for'(store) {
    await store.takeOver(S);
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    const outcomes = await Promise.all(numbers.map((n) => store.append(S, 1, n, [named(n)])));
    equal(
      outcomes,
      numbers.map((n) => ({ seq: n + 1 })),
    );
    equal(
      ids(await all(store)),
      numbers.map((n) => `t${n}`),
    );
  },

  async 'an append that is made twice lands once'(store) {
    await store.takeOver(S);
    await store.append(S, 1, 0, [named(1), named(2)]);
    await store.append(S, 1, 2, [named(3)]);
    equal(await store.append(S, 1, 0, [named(1), named(2)]), { seq: 2 });
    equal(ids(await all(store)), ['t1', 't2', 't3']);
  },

  async 'refuses an append that leaves a gap, or that follows another record than the last'(store) {
    await store.takeOver(S);
    await store.append(S, 1, 0, [named(1), named(2)]);
    await refuses(() => store.append(S, 1, 5, [named(6)]), 'storage_error');
    await refuses(() => store.append(S, 1, 1, [named(9)]), 'storage_error');
    equal(ids(await all(store)), ['t1', 't2']);
    equal(await store.append(S, 1, 2, [named(3)]), { seq: 3 });
  },

  async 'an append is whole or not at all'(store) {
    await store.takeOver(S);
    const tooLarge = named(2, 'x'.repeat(65 * 1024 * 1024));
    await refuses(() => store.append(S, 1, 0, [named(1), tooLarge]), 'storage_error');
    equal(await all(store), []);
    equal(await store.append(S, 1, 0, [named(1)]), { seq: 1 });
  },
};

/** The contract of a `JournalStore`, as checks for any test runner. */
export function journalStoreChecks(open: Open<JournalStore>): readonly Check[] {
  return makeChecks('journal store', open, { ...TAKING_OVER, ...CONTENT, ...ORDER });
}
