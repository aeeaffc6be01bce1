/** A database that is far away: what sessions ask of it is under way together, and not one after the other. */

import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually, type Fleet, report, startFleet } from '@turnwright/test/durable/processes.ts';
import { inForm, isLong } from '@turnwright/test/long-form.ts';
import { expect, test } from 'vitest';
import { dbosRunner } from '../src/dbos.ts';
import { openDatabase } from '../src/index.ts';
import { endRun } from '../src/postgres/runs.ts';
import { beginRun } from '../src/postgres/tenants/begin.ts';
import { createEnqueuer } from '../src/sweep.ts';
import { startProxy } from './socket-proxy.ts';

const form = inForm({ sessions: 30, rounds: 2, times: 0 }, { sessions: 100, rounds: 5, times: 3 });
const ROUND_TRIP_MS = Number(process.env['ROUND_TRIP_MS'] ?? 20);

/**
 * Round trips of one session, one after the other: to ask for its run and to take it, to begin, of each round (an
 * answer with two tools in a row) and of the last answer, to end.
 */
const TRIPS = { ask: 4, take: 8, begin: 7, round: 6, last: 4, end: 2 };

test('asking for runs takes few round trips, however many they are, and so does an end', async ({
  onTestFinished,
}) => {
  const fleet = await startFleet(newDatabase(), onTestFinished);
  const proxy = await startProxy(fleet.url, onTestFinished);
  const database = await openDatabase({ url: proxy.url });
  const dispatch = await dbosRunner.open(database);
  onTestFinished(async () => {
    await dispatch.close();
    await database.close();
  });
  const client = openedClient(fleet);
  const ids = Array.from({ length: 20 }, (_, at) => `s${at}`);
  for (const id of ids) await client.send(id, 'Go.');
  await database.run('select 1');
  const tripsOf = async (work: () => Promise<unknown>) => {
    const before = proxy.roundTrips();
    await work();
    return proxy.roundTrips() - before;
  };
  const enqueue = createEnqueuer({ database, dispatch });
  // An answer in two pieces counts as two.
  expect(await tripsOf(() => Promise.all(ids.map(enqueue)))).toBeLessThanOrEqual(2 * TRIPS.ask);
  await database.run(
    'insert into turnwright.workers (worker_id, host, pid, lock_key, version) values ($1, $2, 1, 1, $2)',
    ['w', ''],
  );
  await beginRun(database, { sessionId: 's0', run: 1, workerId: 'w' });
  const end = { sessionId: 's0', run: 1, workerId: 'w', epoch: 0, taken: 1, answered: new Set<string>() };
  expect(
    await tripsOf(async () =>
      expect(await endRun(database, { ...end, parked: { on: 'time' } })).toBe('ended'),
    ),
  ).toBeLessThanOrEqual(2 * TRIPS.end);
});

/** Sends to so many sessions at once, and waits for the last one. */
async function run(fleet: Fleet, name: string, sessions: number): Promise<number> {
  const client = openedClient(fleet);
  const ids = Array.from({ length: sessions }, (_, at) => `${name}-${at}`);
  await Promise.all(ids.map((id) => client.send(id, 'Go.')));
  const isOver = async () => {
    const [row] = await fleet.database.run<{ readonly over: boolean }>(
      "select not exists (select from turnwright.sessions where state <> 'idle') as over",
    );
    return row?.over === true;
  };
  await eventually(isOver);
  const [row] = await fleet.database.run<{ readonly ms: number }>(
    `select extract(epoch from max(updated_at) - min(queued_at))::float8 * 1000 as ms from turnwright.sessions
     where starts_with(session_id, $1)`,
    [name],
  );
  return row?.ms ?? Number.NaN;
}

test(`a worker whose database is ${ROUND_TRIP_MS} ms away asks it seldom`, {
  timeout: 300_000,
}, async ({ onTestFinished }) => {
  const { sessions, rounds, times } = form;
  const env = { SCENARIO: JSON.stringify({ rounds, modelMs: 300, toolMs: 20 }) };
  const fleet = await startFleet(newDatabase(), onTestFinished);
  const proxy = await startProxy(fleet.url, onTestFinished, { delayMs: ROUND_TRIP_MS / 2 });
  await fleet.start('steps.ts', { ...env, DB: proxy.url });
  await run(fleet, 'warm', 5);
  const before = proxy.roundTrips();
  let measuredMs = await run(fleet, 'many', sessions);
  // One by one they would be some fifty, and were thirty.
  const tripsOfSession = (proxy.roundTrips() - before) / sessions;
  expect(tripsOfSession).toBeLessThan(20);
  report({ tripsOfSession });
  if (!isLong) return;
  const near = await startFleet(newDatabase(), onTestFinished);
  await near.start('steps.ts', env);
  await run(near, 'warm', 5);
  let nearMs = Number.POSITIVE_INFINITY;
  // The best of some, by turns: what else the machine does comes and goes.
  for (let time = 0; time < times; time++) {
    nearMs = Math.min(nearMs, await run(near, `many${time}`, sessions));
    measuredMs = Math.min(measuredMs, await run(fleet, `again${time}`, sessions));
  }
  const { ask, take, begin, round, last, end } = TRIPS;
  const paperMs = nearMs + ROUND_TRIP_MS * (ask + take + begin + rounds * round + last + end);
  const ratio = measuredMs / paperMs;
  report({
    roundTripMs: ROUND_TRIP_MS,
    sessions,
    rounds,
    nearMs,
    measuredMs,
    paperMs,
    ratio,
    tripsOfSession,
  });
  expect(ratio).toBeLessThanOrEqual(1.3);
});
