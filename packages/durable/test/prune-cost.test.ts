/** What the removal of old sessions costs, against a partition that is dropped. Figures: docs/scale.md. */

import { openedDatabase } from '@turnwright/test/durable/opened.ts';
import { isLong } from '@turnwright/test/long-form.ts';
import { expect, test } from 'vitest';
import type { Database } from '../src/index.ts';
import { deleteOldSessions } from '../src/postgres/retention/old-sessions.ts';

const OLD = { olderThanMs: 30 * 86_400_000 };

interface Cost {
  readonly ms: number;
  readonly walMB: number;
}

async function costOf({ run }: Database, work: () => Promise<unknown>): Promise<Cost> {
  const wal = async () => {
    const [row] = await run<{ at: number }>(
      "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at",
    );
    return row?.at ?? 0;
  };
  await run('checkpoint');
  const [before, startMs] = [await wal(), performance.now()];
  await work();
  return {
    ms: Math.round(performance.now() - startMs),
    walMB: Math.round(((await wal()) - before) / 1e5) / 10,
  };
}

/** Sessions of so many records of some 700 bytes, which were written in turn, as they are. */
const RECORDS = (sessions: number, records: number, table = 'journal') => `
  insert into turnwright.${table} (session_id, seq, epoch, entry_id, body)
  select 's' || s, n, 1, md5(s::text || n), repeat(md5(n::text), 22)
  from generate_series(1, ${records}) n, generate_series(1, ${sessions}) s;`;
const SESSIONS = (sessions: number) => `
  insert into turnwright.sessions (session_id, state, updated_at)
  select 's' || s, 'idle', now() - interval '40 days' from generate_series(1, ${sessions}) s;`;

test.runIf(isLong)('deletion of sessions, and of a partition', { timeout: 900_000 }, async () => {
  for (const [sessions, records] of [
    [10_000, 50],
    [400, 1_000],
  ] as const) {
    const db = await openedDatabase();
    await db.run(SESSIONS(sessions) + RECORDS(sessions, records));
    await db.run('vacuum analyze turnwright.journal');
    let slowestMs = 0;
    const timed: Pick<Database, 'run'> = {
      async run(text, values) {
        const startMs = performance.now();
        const rows = await db.run(text, values);
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
        return rows as never;
      },
    };
    const deleted = await costOf(db, () => deleteOldSessions(timed, OLD));
    const vacuumed = await costOf(db, () => db.run('vacuum turnwright.journal'));
    await db.run(`create table turnwright.of_a_month (like turnwright.journal including all)`);
    await db.run(RECORDS(sessions, records, 'of_a_month'));
    const dropped = await costOf(db, () => db.run('drop table turnwright.of_a_month'));
    const figures = { sessions, records, deleted, slowestMs: Math.round(slowestMs), vacuumed, dropped };
    console.info(JSON.stringify({ test: 'prune-cost', ...figures }));
    expect(await db.run('select from turnwright.journal')).toEqual([]);
    expect(slowestMs).toBeLessThan(2_000);
  }
});

test.runIf(isLong)('an index on the last change costs every append', { timeout: 900_000 }, async () => {
  for (const isIndexed of [false, true]) {
    const db = await openedDatabase();
    await db.run(SESSIONS(2_000));
    if (isIndexed) await db.run('create index on turnwright.sessions (updated_at)');
    const appended = await costOf(db, async () => {
      for (let round = 0; round < 20; round++)
        // One statement a session, as appends are: pages are pruned in between.
        await db.run(`do $$ begin for s in 1..2000 loop
          update turnwright.sessions set head = head + 1, updated_at = clock_timestamp()
          where session_id = 's' || s; commit; end loop; end $$`);
    });
    console.info(JSON.stringify({ test: 'index-cost', isIndexed, updates: 40_000, ...appended }));
    expect(appended.walMB).toBeGreaterThan(0);
  }
});
