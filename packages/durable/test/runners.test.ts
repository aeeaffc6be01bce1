/** Both runners meet the same checks, and workers work with either. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { judge, resultsOf } from '@turnwright/test/durable/judge.ts';
import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { say } from '@turnwright/testing';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { dbosRunner } from '../src/dbos.ts';
import {
  inProcessRunner,
  openDatabase,
  prepareDatabase,
  pruneSessions,
  type Runner,
  type Worker,
  worker,
} from '../src/index.ts';
import { alwaysAnswering } from './programs/scripted.ts';
import { runnerChecks } from './runner-checks.ts';

const checksOf = (runnerOf: () => Runner) =>
  runnerChecks(async () => {
    const url = newDatabase();
    const runner = runnerOf();
    await prepareDatabase(url, { runner });
    const database = await openDatabase({ url });
    return { store: { runner, database }, dispose: () => database.close() };
  });

describe('D13: DBOS', () => {
  for (const check of checksOf(() => dbosRunner)) it(check.name, check.run);
});

describe('D13: in process', () => {
  for (const check of checksOf(inProcessRunner)) it(check.name, check.run);
});

const options = { settingSources: [], engine: { callModel: alwaysAnswering(() => say('Done.')).callModel } };

async function started(db: string, runner: Runner): Promise<Worker> {
  const one = await worker({ db, runner, options: { ...options, cwd: '/tmp' } });
  onTestFinished(() => one.drain(0));
  return one;
}

test('several workers of one process run the sessions of a database without DBOS', async () => {
  const db = newDatabase();
  const runner = inProcessRunner();
  await prepareDatabase(db, { runner });
  const client = openedClient({ url: db });
  const [first, second] = [await started(db, runner), await started(db, runner)];
  const send = async (id: string) => {
    const { uuid, cursor } = await client.send(id, 'Go.');
    for await (const { message } of client.follow(id, { from: cursor, until: uuid }))
      if (message.type === 'result') expect(message.is_error).toBe(false);
  };
  await Promise.all(['s1', 's2', 's3', 's4'].map(send));
  await first.drain();
  await Promise.all(['s1', 's5'].map(send));
  expect(second.health.state()).toEqual({ ok: true });
  const database = await openDatabase({ url: db });
  const tables = await database.run("select 1 from pg_namespace where nspname = 'turnwright_dbos'");
  expect(tables).toEqual([]);
  const gone = await pruneSessions(database, { olderThanMs: -3_600_000, runner });
  expect(gone.toSorted()).toEqual(['s1', 's2', 's3', 's4', 's5']);
  await database.close();
});

test('a session whose worker died between its result and its end has the outcome of that result', async () => {
  const db = newDatabase();
  const runner = inProcessRunner();
  await prepareDatabase(db, { runner });
  const client = openedClient({ url: db });
  await started(db, runner);
  const { uuid, cursor } = await client.send('s', 'Go.');
  for await (const _ of client.follow('s', { from: cursor, until: uuid }));
  await eventually(async () => (await client.status('s'))?.state === 'idle');
  const outcome = (await client.status('s'))?.outcome;
  expect(outcome).toMatchObject({ subtype: 'success', turns: 1 });
  const database = await openDatabase({ url: db });
  onTestFinished(() => database.close());
  await database.run(
    "update turnwright.sessions set state = 'running', outcome = null, worker = 'dead', updated_at = to_timestamp(0)",
  );
  await eventually(async () => (await client.status('s'))?.state === 'idle');
  expect((await client.status('s'))?.outcome).toEqual(outcome);
});

test('without DBOS, sessions of a process that was killed go on in the next one', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const client = openedClient(fleet);
  const env = { RUNNER: 'in-process', SCENARIO: JSON.stringify({ rounds: 3, modelMs: 300, toolMs: 20 }) };
  const ids = ['s1', 's2', 's3'];
  const first = await fleet.start('rounds.ts', env);
  for (const id of ids) await client.send(id, 'Go.');
  await eventually(() => fleet.ledger().filter(({ what }) => what === 'effect').length > 3);
  first.signal('SIGKILL');
  await first.exited;
  await fleet.start('rounds.ts', env);
  for (const id of ids)
    await eventually(async () => (await client.status(id))?.state === 'idle', {
      describe: () => client.sessions(),
    });
  const { rerun, doubled, lost } = judge(fleet.ledger());
  expect({ rerun, doubled, lost }).toEqual({ rerun: [], doubled: [], lost: [] });
  expect([...(await resultsOf(fleet)).values()]).toEqual([1, 1, 1]);
});

test('a worker that cannot start is refused in one sentence, and leaves nothing behind', async () => {
  const fleet = await startFleet();
  const workers = async () => (await fleet.database.run('select 1 from turnwright.workers')).length;
  const other = await fleet.start('rounds.ts', { SCENARIO: '{}' });
  await expect(worker({ db: fleet.url, runner: inProcessRunner() })).rejects.toMatchObject({
    code: 'invalid_option',
    message:
      'A worker of another process works on this database: an in-process runner has all workers in one process.',
  });
  expect(await workers()).toBe(1);
  other.signal('SIGTERM');
  await other.exited;
  await started(fleet.url, dbosRunner);
  await expect(worker({ db: fleet.url })).rejects.toMatchObject({
    code: 'invalid_option',
    message: 'This process has a worker already, or uses DBOS itself: start one worker for each process.',
  });
  expect(await workers()).toBe(1);
});

test('each worker has its own concurrency, whichever started last', { timeout: 300_000 }, async () => {
  const fleet = await startFleet();
  const client = openedClient(fleet);
  const large = await fleet.start('held.ts', { CONCURRENCY: '3' });
  const small = await fleet.start('held.ts', { CONCURRENCY: '1' });
  const late = await fleet.start('held.ts', { CONCURRENCY: '2' });
  const ids = Array.from({ length: 9 }, (_, at) => `session-${at}`);
  for (const id of ids) await client.send(id, 'Go.');
  const running = async () => {
    const rows = await fleet.database.run<{ readonly worker: string; readonly n: number }>(
      "select worker, count(*)::int as n from turnwright.sessions where state = 'running' group by worker",
    );
    return Object.fromEntries(rows.map(({ worker: id, n }) => [id, n]));
  };
  const beats = async () => {
    const rows = await fleet.database.run<{ readonly at: Date }>(
      'select heartbeat as at from turnwright.workers',
    );
    return rows.map(({ at }) => at.getTime());
  };
  const most = { [large.id]: 3, [small.id]: 1, [late.id]: 2 };
  await eventually(async () => Object.values(await running()).reduce((sum, n) => sum + n, 0) >= 6, {
    describe: running,
  });
  // Each reads its queue every second, and says that it lives every two.
  const filledMs = Math.max(...(await beats()));
  await eventually(async () => (await beats()).every((ms) => ms > filledMs + 1_500));
  expect(await running()).toEqual(most);
  writeFileSync(join(fleet.folder, 'released'), '');
  for (const id of ids) await eventually(async () => (await client.status(id))?.state === 'idle');
});
