/** Every fault at the same time, as on a bad day: workers are killed while the database is far, breaks off and moves. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cluster,
  movableAddress,
  newDatabase,
  startCluster,
  startStandby,
} from '@turnwright/test/durable/cluster.ts';
import { forgotten, judge, lateAppends, resultsOf } from '@turnwright/test/durable/judge.ts';
import {
  eventually,
  type Fleet,
  report,
  startFleet,
  type WorkerProcess,
} from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { seededRandom } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';
import { startProxy } from './socket-proxy.ts';

const form = inForm(
  { sessions: 16, rounds: 3, workers: 2, kills: 3, everyMs: 1_500, busy: 0 },
  { sessions: 1_000, rounds: 20, workers: 4, kills: 200, everyMs: 2_000, busy: 2 },
);
const SCENARIO = JSON.stringify({ rounds: form.rounds, modelMs: 500, toolMs: 100 });
const NEAREST_MS = 5;
const FARTHEST_MS = 80;
const LIMIT_MS = inForm(400_000, 5_400_000);

function keepProcessorsBusy(): void {
  const loops: ChildProcess[] = Array.from({ length: form.busy }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  onTestFinished(() => {
    for (const loop of loops) loop.kill('SIGKILL');
  });
}

/** A cluster with a synchronous standby that can take its place. */
function startPair(): { readonly socketFolder: string; failOver(): void } {
  const primary: Cluster = startCluster();
  const address = movableAddress(primary);
  const standby = startStandby(primary);
  onTestFinished(() => {
    standby.stop();
    address.remove();
    primary.stop();
  });
  return {
    socketFolder: address.socketFolder,
    failOver() {
      primary.crash();
      standby.promote();
      address.pointTo(standby);
    },
  };
}

/** Sessions that are not idle, with their last records. */
const STUCK = `
  select session_id, state, run, worker, epoch, head, parked, wake_at, (
    select json_agg(left(body, 300)) from turnwright.journal j
    where j.session_id = s.session_id and seq > head - 3) as last
  from turnwright.sessions s where state <> 'idle' limit 10`;

/** Two connections of whichever process they are; the one that asks may be the first to go. */
const endConnections = (fleet: Fleet) =>
  fleet.database
    .run(
      `select pg_terminate_backend(pid) from (
         select pid from pg_stat_activity where datname = current_database() order by random() limit 2) as chosen`,
    )
    .catch(() => undefined);

test('kills, distance, ended connections and a fail-over at once: one right result for each prompt, nothing twice', {
  timeout: LIMIT_MS,
}, async () => {
  const random = seededRandom(1);
  const pair = startPair();
  const fleet = await startFleet(newDatabase(pair.socketFolder));
  const delayMs = () => NEAREST_MS + random() * (FARTHEST_MS - NEAREST_MS);
  const proxy = await startProxy(fleet.url, onTestFinished, { delayMs });
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const startOnce = () => fleet.start('rounds.ts', { SCENARIO, DB: proxy.url });
  // One that starts while the address moves ends with a sentence, and is started again as a unit would be.
  const start = () => startOnce().catch(startOnce);
  let workers: WorkerProcess[] = await Promise.all(Array.from({ length: form.workers }, start));
  const ids = Array.from({ length: form.sessions }, (_, at) => `s${at}`);
  await Promise.all(ids.map((id) => client.send(id, 'Go.')));
  keepProcessorsBusy();
  const startedMs = Date.now();
  for (let kill = 0; kill < form.kills; kill++) {
    const next = start();
    await sleep(form.everyMs);
    await endConnections(fleet);
    if (kill === Math.floor(form.kills / 2)) pair.failOver();
    const victim = workers[Math.floor(random() * workers.length)] as WorkerProcess;
    victim.signal('SIGKILL');
    workers = [...workers.filter((one) => one !== victim), await next];
  }
  const states = () =>
    fleet.database
      .run<{ readonly state: string; readonly n: number }>(
        'select state, count(*)::int as n from turnwright.sessions group by 1',
      )
      .catch(() => []);
  const endedMs = Date.now();
  const atLastKill = await states();
  await eventually(
    async () => {
      const [one, ...others] = await states();
      return one?.state === 'idle' && others.length === 0;
    },
    {
      limitMs: LIMIT_MS / 2,
      describe: async () => ({
        stuck: await fleet.database.run(STUCK),
        workers: workers.map(({ id, stderr }) => ({ id, stderr: stderr() })),
      }),
    },
  );
  const { restarted, ...wrong } = judge(fleet.ledger());
  report({
    ...form,
    secondsOfFaults: Math.round((endedMs - startedMs) / 1_000),
    atLastKill,
    secondsAfterwards: Math.round((Date.now() - endedMs) / 1_000),
    calls: fleet.ledger().filter(({ what }) => what === 'effect').length,
    restarted,
  });
  expect(wrong).toEqual({ rerun: [], doubled: [], lost: [] });
  expect(await lateAppends(fleet)).toBe(0);
  const results = await resultsOf(fleet);
  expect(ids.filter((id) => results.get(id) !== 1)).toEqual([]);
  const ends = await fleet.database.run<{ readonly end: string; readonly n: number }>(
    `select outcome::jsonb ->> 'subtype' as end, count(*)::int as n from turnwright.sessions group by 1`,
  );
  expect(ends).toEqual([{ end: 'success', n: ids.length }]);
  expect(await forgotten(fleet.database)).toEqual([]);
  expect(workers.map(({ child }) => child.exitCode)).toEqual(workers.map(() => null));
});
