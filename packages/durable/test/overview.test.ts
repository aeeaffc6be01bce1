/** The state of a database as a whole, and the removal of old sessions. */

import { openedDatabase } from '@turnwright/test/durable/opened.ts';
import { expect, test } from 'vitest';
import { type Database, overviewOf } from '../src/index.ts';
import { deleteOldSessions } from '../src/postgres/retention/old-sessions.ts';

async function withSessions(): Promise<Database> {
  const db = await openedDatabase();
  await db.run(`insert into turnwright.sessions (session_id, state, updated_at) values
    ('old', 'idle', now() - interval '40 days'),
    ('poisoned', 'poisoned', now() - interval '40 days'),
    ('waits', 'parked', now() - interval '40 days'),
    ('young', 'idle', now() - interval '20 days'),
    ('queued', 'queued', now() - interval '5 seconds')`);
  for (const session of ['old', 'young']) {
    await db.run(
      "insert into turnwright.journal (session_id, seq, epoch, entry_id, body) values ($1, 1, 1, 'a', '{}')",
      [session],
    );
    await db.run("insert into turnwright.blobs (session_id, key, bytes) values ($1, 'k', 'x')", [session]);
  }
  await db.run(`insert into turnwright.asks (session_id, ask_id, tool_use_id, tool_name, question)
    values ('waits', 'q1', 't1', 'Bash', '{}')`);
  await db.run(`insert into turnwright.workers (worker_id, host, pid, lock_key, heartbeat, version)
    values ('w1', 'one', 7, 1, now() - interval '3 seconds', '1.0.0')`);
  return db;
}

test('the overview counts sessions by state, open questions and workers', async () => {
  const db = await withSessions();
  const found = await overviewOf(db.run);
  expect(found).toMatchObject({
    sessions: { idle: 2, poisoned: 1, parked: 1, queued: 1 },
    openAsks: 1,
    workers: [{ workerId: 'w1', host: 'one', pid: 7, draining: false, version: '1.0.0' }],
  });
  expect(found.oldestQueuedMs).toBeGreaterThanOrEqual(5_000);
  // The sweep looks at it again and again.
  await db.run(
    "update turnwright.sessions set queued_at = now() - interval '90 s', updated_at = now() where state = 'queued'",
  );
  expect((await overviewOf(db.run)).oldestQueuedMs).toBeGreaterThanOrEqual(90_000);
  expect(found.workers[0]?.heartbeatAgeMs).toBeGreaterThanOrEqual(3_000);
  expect(found.bytes).toBeGreaterThan(1_000_000);
});

test('pruning removes old sessions with all their rows, and none that waits for an answer', async () => {
  const db = await withSessions();
  const gone = await deleteOldSessions(db, { olderThanMs: 30 * 86_400_000 });
  expect(gone.toSorted()).toEqual(['old', 'poisoned']);
  const left = await db.run<{ session_id: string }>('select session_id from turnwright.sessions');
  expect(left.map(({ session_id }) => session_id).toSorted()).toEqual(['queued', 'waits', 'young']);
  for (const table of ['journal', 'blobs'])
    expect(await db.run(`select session_id from turnwright.${table}`)).toEqual([{ session_id: 'young' }]);
});

test('every table with sessions is pruned', async () => {
  const db = await withSessions();
  for (const { table_name } of await db.run<{ table_name: string }>(
    `select table_name from information_schema.columns
      where table_schema = 'turnwright' and column_name = 'session_id'`,
  )) {
    const columns = await db.run<{ column_name: string; data_type: string }>(
      `select column_name, data_type from information_schema.columns
        where table_schema = 'turnwright' and table_name = $1 and is_nullable = 'NO' and column_default is null
          and column_name <> 'session_id'`,
      [table_name],
    );
    if (['sessions', 'removed'].includes(table_name)) continue;
    const values = columns.map(({ data_type }) => VALUES[data_type] ?? "'x'");
    const names = ['session_id', ...columns.map(({ column_name }) => column_name)];
    await db.run(
      `insert into turnwright.${table_name} (${names.join(', ')}) values ('poisoned', ${values.join(', ')})`,
    );
    await deleteOldSessions(db, { olderThanMs: 30 * 86_400_000 });
    await db.run(
      "insert into turnwright.sessions (session_id, state, updated_at) values ('poisoned', 'poisoned', now() - interval '40 days')",
    );
    const left = await db.run(`select 1 from turnwright.${table_name} where session_id = 'poisoned'`);
    expect(left, table_name).toEqual([]);
  }
});

const VALUES: Readonly<Record<string, string>> = {
  integer: '1',
  bigint: '1',
  jsonb: "'{}'",
  'timestamp with time zone': 'now()',
};
