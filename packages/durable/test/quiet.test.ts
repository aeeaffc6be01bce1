/** What a worker asks of the database while there is nothing to do, and how soon it hears that there is something. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '@turnwright/test/durable/cluster.ts';
import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually, report, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../src/index.ts';

const WATCHED_SECONDS = 10;

test('an idle worker asks at most five statements a second, and begins what is sent at once', {
  timeout: 300_000,
}, async () => {
  const cluster = startCluster({ settings: ['shared_preload_libraries=pg_stat_statements'] });
  onTestFinished(() => cluster.stop());
  const url = `postgresql:///postgres?host=${cluster.socketFolder}&user=turnwright`;
  const fleet = await startFleet(url);
  await fleet.start('rounds.ts', { SCENARIO: JSON.stringify({ rounds: 1, modelMs: 1, toolMs: 1 }) });
  const database = await openDatabase({ url });
  onTestFinished(() => database.close());
  await database.run('create extension pg_stat_statements');
  await sleep(2_000);
  await database.run('select pg_stat_statements_reset()');
  await sleep(WATCHED_SECONDS * 1_000);
  const calls = await database.run<{ readonly query: string; readonly calls: number }>(
    // DBOS looks for schedules each second in its first minute, and rarely after it.
    `select query, calls::int from pg_stat_statements
      where query not like '%pg_stat_statements%' and query not like '%workflow_schedules%' and query not like '%pg_is_in_recovery%' order by calls desc`,
  );
  const all = calls.reduce((sum, { calls: some }) => sum + some, 0);
  report({ statementsPerSecond: all / WATCHED_SECONDS });
  expect(all / WATCHED_SECONDS, JSON.stringify(calls.slice(0, 20), undefined, 1)).toBeLessThanOrEqual(5);

  const client = openedClient({ url });
  await client.send('s1', 'Go.');
  // It hears of it.
  await eventually(async () => (await client.status('s1'))?.state === 'idle', { limitMs: 3_000 });
});
