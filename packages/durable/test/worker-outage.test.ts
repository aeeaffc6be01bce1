/** The server of a fleet goes away while its workers run sessions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { movableAddress, newDatabase, startCluster, startStandby } from '@turnwright/test/durable/cluster.ts';
import { forgotten, judge, lateAppends, resultsOf } from '@turnwright/test/durable/judge.ts';
import {
  eventually,
  type Fleet,
  startFleet,
  type WorkerProcess,
} from '@turnwright/test/durable/processes.ts';
import { isLong } from '@turnwright/test/long-form.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';

const SCENARIO = JSON.stringify({ rounds: 5, modelMs: 1_000, toolMs: 100 });
/** Ends what hangs: beside four busy loops, two workers alone take half a minute to start. */
const LIMIT_MS = 150_000;
/** Some seconds of connections that end. */
const ENDINGS = 40;
const ids = Array.from({ length: 12 }, (_, at) => `session-${at}`);

interface AtWork {
  readonly client: ReturnType<typeof durableClient>;
  readonly workers: readonly WorkerProcess[];
}

/** Sends to every session, and returns once all of them work. */
async function allAtWork(fleet: Fleet): Promise<AtWork> {
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const start = () => fleet.start('rounds.ts', { SCENARIO });
  const workers = await Promise.all([start(), start()]);
  for (const id of ids) await client.send(id, 'Go.');
  await eventually(() => new Set(fleet.ledger().map(({ sessionId }) => sessionId)).size === ids.length, {
    limitMs: LIMIT_MS,
    describe: async () => [await client.sessions(), said(workers)],
  });
  return { client, workers };
}

const said = (workers: readonly WorkerProcess[]) => workers.map(({ stderr }) => stderr());

async function allEndWell(fleet: Fleet, { client, workers }: AtWork): Promise<void> {
  // The first calls may find a connection that is broken.
  for (const id of ids)
    await eventually(async () => (await client.status(id).catch(() => undefined))?.state === 'idle', {
      limitMs: LIMIT_MS,
      describe: async () => [await client.status(id), said(workers)],
    });
  const { rerun, doubled, lost } = judge(fleet.ledger());
  expect({ rerun, doubled, lost }).toEqual({ rerun: [], doubled: [], lost: [] });
  expect(await lateAppends(fleet)).toBe(0);
  expect([...(await resultsOf(fleet)).values()]).toEqual(ids.map(() => 1));
  expect(await forgotten(fleet.database)).toEqual([]);
  expect(workers.map(({ child }) => child.exitCode)).toEqual([null, null]);
}

test('D4: the server crashes and is away for 5 s; all sessions end, and none loses or repeats anything', {
  timeout: 2 * LIMIT_MS,
}, async () => {
  const cluster = startCluster();
  onTestFinished(cluster.stop);
  const fleet = await startFleet(newDatabase(cluster.socketFolder));
  const atWork = await allAtWork(fleet);
  cluster.crash();
  await sleep(5_000);
  cluster.restart();
  await allEndWell(fleet, atWork);
});

// That the store keeps every record then is in outage.test.ts, in the short form too.
test.runIf(isLong)(
  'D4: a synchronous standby takes the place of the server; all sessions end as before',
  {
    timeout: 2 * LIMIT_MS,
  },
  async () => {
    const primary = startCluster();
    const address = movableAddress(primary);
    const standby = startStandby(primary);
    onTestFinished(() => {
      standby.stop();
      address.remove();
      primary.stop();
    });
    const url = new URL(newDatabase(primary.socketFolder));
    url.searchParams.set('host', address.socketFolder);
    const fleet = await startFleet(url.href);
    const atWork = await allAtWork(fleet);
    primary.crash();
    standby.promote();
    address.pointTo(standby);
    await allEndWell(fleet, atWork);
  },
);

test('connections are ended at random, also those of the runner; no worker exits, and no session is set aside', {
  timeout: 2 * LIMIT_MS,
}, async () => {
  const fleet = await startFleet();
  const atWork = await allAtWork(fleet);
  for (let at = 0; at < ENDINGS; at++) {
    await fleet.database.run(
      `select pg_terminate_backend(pid) from (
         select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         order by random() limit $1) as chosen`,
      // Now and then all of them.
      [at % 10 === 9 ? 1_000 : 2],
    );
    await sleep(300);
  }
  await allEndWell(fleet, atWork);
});
