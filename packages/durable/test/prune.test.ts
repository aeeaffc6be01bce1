/** Removal of old sessions: in small transactions, beside everything else, and whenever it was ended. */

import { openedClient, openedDatabase } from '@turnwright/test/durable/opened.ts';
import { expect, test } from 'vitest';
import type { Database } from '../src/index.ts';
import type { RunStatement } from '../src/postgres/database.ts';
import { deleteOldSessions } from '../src/postgres/retention/old-sessions.ts';

const OLD = { olderThanMs: 30 * 86_400_000 };
const TABLES = ['sessions', 'journal', 'messages', 'inbox', 'blobs', 'removed'];

/** Old sessions `s0`, `s1` … with so many records each, and some rows in other tables. */
async function withOld(sessions: number, records: number): Promise<Database> {
  const db = await openedDatabase();
  const each = `generate_series(0, ${sessions - 1}) s`;
  await db.run(`
    insert into turnwright.sessions (session_id, state, head, updated_at)
      select 's' || s, 'idle', ${records}, now() - interval '40 days' from ${each};
    insert into turnwright.journal (session_id, seq, epoch, entry_id, body)
      select 's' || s, n, 1, n::text, '{}' from ${each}, generate_series(1, ${records}) n;
    insert into turnwright.messages (session_id, after_seq, n, epoch, message)
      select 's' || s, n, 1, 1, '{}' from ${each}, generate_series(1, ${records}, 10) n;
    insert into turnwright.inbox (session_id, n, key, item)
      select 's' || s, n, n::text, '{}' from ${each}, generate_series(1, 3) n;
    insert into turnwright.blobs (session_id, key, bytes) select 's' || s, 'k', 'x' from ${each};
    insert into turnwright.sessions (session_id) values ('young');
    insert into turnwright.journal (session_id, seq, epoch, entry_id, body) values ('young', 1, 1, 'a', '{}')`);
  return db;
}

const left = async ({ run }: Database) =>
  Object.fromEntries(
    await Promise.all(
      TABLES.map(async (table) => {
        const [{ count } = { count: -1 }] = await run<{ count: number }>(
          `select count(*)::int as count from turnwright.${table}`,
        );
        return [table, count] as const;
      }),
    ),
  );
const ONLY_THE_YOUNG = { sessions: 1, journal: 1, messages: 0, inbox: 0, blobs: 0, removed: 0 };

/** The statements of a process that ends behind so many of them. */
function endingAfter({ run }: Database, statements: number, counts: number[] = []): { run: RunStatement } {
  let done = 0;
  return {
    async run(text, values) {
      if (done === statements) throw new Error('The process is gone.');
      done += 1;
      const rows = await run(text, values);
      counts.push(Number((rows[0] as { count?: number } | undefined)?.count ?? rows.length));
      return rows as never;
    },
  };
}

test('a prune that ends anywhere is ended by the next one, and no transaction removes much', async () => {
  const db = await withOld(3, 6_000);
  const counts: number[] = [];
  for (let statements = 1; ; statements++) {
    const ended = await deleteOldSessions(endingAfter(db, statements, counts), OLD).then(
      () => true,
      () => false,
    );
    const { journal = 0, sessions, removed = 0 } = await left(db);
    // What is partly gone is no session any more, and the table of removed ones has it.
    expect(sessions).toBe(removed > 0 || journal === 1 ? 1 : 4);
    if (ended) break;
  }
  expect(await left(db)).toEqual(ONLY_THE_YOUNG);
  expect(Math.max(...counts)).toBe(5_000);
});

test('several prunes at once remove everything once, and a session may begin anew meanwhile', async () => {
  const db = await withOld(250, 20);
  const client = openedClient(db);
  const [one, two, sent] = await Promise.all([
    deleteOldSessions(db, OLD),
    deleteOldSessions(db, OLD),
    (async () => {
      // Whether it is old, being deleted or gone: the prompt is there in the end.
      await deleteOldSessions(endingAfter(db, 2), OLD).catch(() => undefined);
      return client.send('s1', 'Hello.');
    })(),
  ]);
  expect(sent.fresh).toBe(true);
  await deleteOldSessions(db, OLD);
  expect(new Set([...one, ...two]).size).toBeGreaterThanOrEqual(249);
  expect(await client.status('s1')).toMatchObject({ state: 'queued' });
  const inbox = await db.run(`select 1 from turnwright.inbox where item like '%Hello%'`);
  expect(inbox).toHaveLength(1);
  expect(await left(db)).toMatchObject({ removed: 0 });
});

test('a session of which a prune left rows begins anew without them', async () => {
  const db = await withOld(1, 6_000);
  // The session is taken out, and a part of its records removed.
  await expect(deleteOldSessions(endingAfter(db, 3), OLD)).rejects.toThrow('The process is gone.');
  expect(await left(db)).toMatchObject({ sessions: 1, journal: 1_001, removed: 1 });
  await expect(db.run(`insert into turnwright.sessions (session_id) values ('s0')`)).rejects.toMatchObject({
    code: 'session_removed',
    message: 'Session s0 is being deleted: try again, or end it with npx turnwright durable prune',
  });
  const { cursor } = await openedClient(db).send('s0', 'Hello.');
  expect(cursor).toBe('0.0');
  expect(await left(db)).toMatchObject({ sessions: 2, journal: 1, inbox: 1, messages: 0, removed: 0 });
});

test('a prune that comes late removes nothing of a session that has begun anew', async () => {
  const db = await withOld(1, 10);
  const client = openedClient(db);
  let isFirst = true;
  const slow: { run: RunStatement } = {
    async run(text, values) {
      // It has removed the journal, and is about to remove what is in the inbox.
      if (isFirst && text.includes('delete from turnwright.inbox')) {
        isFirst = false;
        await client.send('s0', 'Hello.');
      }
      return db.run(text, values) as never;
    },
  };
  await deleteOldSessions(slow, OLD);
  expect(isFirst).toBe(false);
  expect(await client.status('s0')).toMatchObject({ state: 'queued' });
  expect(await left(db)).toMatchObject({ sessions: 2, inbox: 1, removed: 0 });
});
