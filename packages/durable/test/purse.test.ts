/** The money of a tenant for a day: what runs take from it, give back, and leave behind. */
import { setMaxListeners } from 'node:events';
import type { TakenMoney } from '@turnwright/engine/protocol/model/purse.ts';
import { openedClient, openedDatabase, openedListener } from '@turnwright/test/durable/opened.ts';
import { expect, test } from 'vitest';
import { type Database, setTenantLimits, tenantUse } from '../src/index.ts';
import { openPurse, type RunPurse } from '../src/postgres/tenants/run-purse.ts';

const { signal } = new AbortController();
setMaxListeners(0, signal);

async function opened(): Promise<{ db: Database; purse(session: string): RunPurse }> {
  const db = await openedDatabase();
  await setTenantLimits(db, 'acme', { usdPerDay: 1 });
  for (const id of ['s1', 's2']) await openedClient(db).send(id, 'Go.', { tenant: 'acme' });
  await db.run("update turnwright.sessions set state = 'running', worker = 'w'");
  const listener = openedListener(db);
  return {
    db,
    purse: (sessionId) => openPurse(db, listener, { tenant: 'acme', sessionId, run: 1, workerId: 'w' }),
  };
}

const take = async (purse: RunPurse, mostUsd: number, leastUsd = mostUsd): Promise<TakenMoney> => {
  const taken = await purse.take({ mostUsd, leastUsd }, signal);
  if (taken.kind !== 'taken') throw new Error(taken.why);
  return taken;
};
const used = async (db: Database) => (await tenantUse(db)).find(({ tenant }) => tenant === 'acme')?.usdToday;

test('what another run holds is waited for; what it gives back is there at once', async () => {
  const { db, purse } = await opened();
  const [one, other] = [purse('s1'), purse('s2')];
  const first = await take(one, 0.7);
  const order: string[] = [];
  const waiting = take(other, 0.6).then((taken) => {
    order.push('taken');
    return taken;
  });
  // It is asked for before the first one settles.
  await take(one, 0.2).then(({ settle }) => settle(0));
  order.push('settled');
  first.settle(0.1);
  first.settle(5);
  const second = await waiting;
  expect({ order, usd: second.usd }).toEqual({ order: ['settled', 'taken'], usd: 0.6 });
  second.settle(0.6);
  await Promise.all([one.settled(), other.settled()]);
  expect(await used(db)).toBeCloseTo(0.7);
});

test('one that is alone gets what is left; what no day can pay is said to be so', async () => {
  const { purse } = await opened();
  const first = await take(purse('s1'), 0.8);
  first.settle(0.8);
  const second = await take(purse('s2'), 0.5, 0.1);
  expect(second.usd).toBeCloseTo(0.2);
  second.settle(0.2);
  expect(await purse('s1').take({ mostUsd: 0.5, leastUsd: 0.1 }, signal)).toMatchObject({
    kind: 'empty',
    why: 'Tenant acme may use $1 in a day (UTC), of which $0.0000 is left, and this call may cost up to $0.1000.',
    wakeAt: expect.any(Number),
  });
  const never = await purse('s1').take({ mostUsd: 3, leastUsd: 2 }, signal);
  expect(never).toMatchObject({ kind: 'empty' });
  expect(never).not.toHaveProperty('wakeAt');
});

test('what a run held whose worker died stays counted, and is not waited for', async () => {
  const { db, purse } = await opened();
  const lost = await take(purse('s1'), 0.9);
  await db.run("update turnwright.sessions set worker = 'other' where session_id = 's1'");
  expect(await purse('s2').take({ mostUsd: 0.5, leastUsd: 0.5 }, signal)).toMatchObject({ kind: 'empty' });
  // The worker was only cut off.
  const zombie = purse('s1');
  lost.settle(0);
  await zombie.settled();
  expect(await used(db)).toBeCloseTo(0.9);
  expect(await db.run('select 1 from turnwright.reservations')).toEqual([]);
});

test('who waits for what another run holds goes on when that one dies', async () => {
  const { db, purse } = await opened();
  await take(purse('s1'), 0.6);
  const waiting = take(purse('s2'), 0.5, 0.3);
  await take(purse('s1'), 0.1);
  await db.run("update turnwright.sessions set state = 'idle' where session_id = 's1'");
  expect((await waiting).usd).toBeCloseTo(0.3);
});

test('many runs of two processes take no more than there is', async () => {
  const { db, purse } = await opened();
  const runs = ['s1', 's2'].map(purse);
  const spent = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const answer = await (runs[at % 2] as RunPurse).take({ mostUsd: 0.09, leastUsd: 0.09 }, signal);
      if (answer.kind === 'empty') return 0;
      const usd = (at % 9) / 100;
      answer.settle(usd);
      return usd;
    }),
  );
  await Promise.all(runs.map((one) => one.settled()));
  const total = spent.reduce((sum, usd) => sum + usd, 0);
  expect(total).toBeLessThanOrEqual(1);
  expect(total).toBeGreaterThan(1 - 0.09);
  expect(await used(db)).toBeCloseTo(total);
});
