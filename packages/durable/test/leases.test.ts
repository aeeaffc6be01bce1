/** Leases of several workers on one database. */
import { getEventListeners } from 'node:events';
import { openedDatabase, openedListener } from '@turnwright/test/durable/opened.ts';
import { expect, test } from 'vitest';
import { createLeaseStore } from '../src/postgres/leases.ts';

async function workers() {
  const database = await openedDatabase();
  const listener = openedListener(database);
  // Called back when notifications begin to arrive.
  const listens = new Promise<void>((resolve) => listener.watch('lease', undefined, () => resolve()));
  const life = new AbortController();
  const { signal } = life;
  const leasesOf = (workerId: string) =>
    createLeaseStore(database, listener, { workerId, life: async () => signal });
  for (const id of ['a', 'b'])
    await database.run(
      `insert into turnwright.workers (worker_id, host, pid, lock_key, version) values ($1, 'h', 1, 1, '1')`,
      [id],
    );
  await listens;
  return { database, life, a: leasesOf('a'), b: leasesOf('b') };
}

test('a session of a worker that lives is refused to another one, until it is released', async () => {
  const { a, b } = await workers();
  const lease = await a.acquire('s');
  await expect(b.acquire('s')).rejects.toMatchObject({ code: 'session_in_use' });
  await lease.release();
  await (await b.acquire('s')).release();
});

test('a session of a worker that is gone is free', async () => {
  const { database, a, b } = await workers();
  await a.acquire('s');
  await database.run("delete from turnwright.workers where worker_id = 'a'");
  expect((await b.acquire('s')).signal.aborted).toBe(false);
});

test('a worker whose session is taken over is notified, and releases nothing', async () => {
  const { database, a, b } = await workers();
  const former = await a.acquire('s');
  const lost = new Promise((resolve) => {
    former.signal.addEventListener('abort', () => resolve(former.signal.reason));
  });
  await b.acquire('s', { takeOver: true });
  expect(await lost).toBe('lease_lost');
  await former.release();
  expect(await database.run('select worker from turnwright.sessions')).toEqual([{ worker: 'b' }]);
});

test('a run that goes on in the same worker ends what is left of the one before it, and keeps the session', async () => {
  const { database, a } = await workers();
  await database.run(
    "insert into turnwright.sessions (session_id, state, worker) values ('s', 'running', 'a')",
  );
  const left = await a.acquire('s');
  const next = await a.acquire('s', { takeOver: true });
  expect([left.signal.aborted, next.signal.aborted]).toEqual([true, false]);
  await left.release();
  await next.release();
  // The run itself says what became of the session.
  expect(await database.run('select worker from turnwright.sessions')).toEqual([{ worker: 'a' }]);
});

test('leases end with their worker, and leave nothing behind in it when they were released', async () => {
  const { life, a } = await workers();
  await (await a.acquire('s1')).release();
  const { signal } = await a.acquire('s2');
  expect(getEventListeners(life.signal, 'abort')).toHaveLength(1);
  life.abort('lease_lost');
  expect(signal.reason).toBe('lease_lost');
});
