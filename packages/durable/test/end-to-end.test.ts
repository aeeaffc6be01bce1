import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient, pruneSessions } from '../src/index.ts';

test('a prompt that is sent runs on a worker to its result, and the worker drains on SIGTERM', async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const started = await fleet.start('rounds.ts', {
    SCENARIO: JSON.stringify({ rounds: 2, modelMs: 10, toolMs: 10 }),
  });
  await client.send('s1', 'Go.');
  await eventually(async () => (await client.status('s1'))?.state === 'idle', {
    describe: async () => [await client.status('s1'), started.stderr()],
  });
  expect((await client.status('s1'))?.outcome).toMatchObject({ subtype: 'success', isError: false });
  started.signal('SIGTERM');
  expect(await started.exited).toBe(0);
  expect(await fleet.database.run('select 1 from turnwright.workers')).toEqual([]);
});

test('a session that was pruned leaves no record of its runs, and begins anew under its id', async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const started = await fleet.start('rounds.ts', {
    SCENARIO: JSON.stringify({ rounds: 1, modelMs: 10, toolMs: 10 }),
  });
  const answered = async () => {
    await client.send('s1', 'Go.');
    await eventually(async () => (await client.status('s1'))?.state === 'idle', {
      describe: async () => [await client.status('s1'), started.stderr()],
    });
  };
  const runs = () => fleet.database.run('select 1 from turnwright_dbos.workflow_status');
  await answered();
  // The run ends behind the session.
  const over = () =>
    fleet.database.run("select 1 from turnwright_dbos.workflow_status where status = 'SUCCESS'");
  await eventually(async () => (await over()).length === 1);
  expect(await pruneSessions(fleet.database, { olderThanMs: 3_600_000 })).toEqual([]);
  expect(await runs()).toHaveLength(1);
  expect(await pruneSessions(fleet.database, { olderThanMs: -3_600_000 })).toEqual(['s1']);
  expect(await runs()).toEqual([]);
  await answered();
  expect((await client.status('s1'))?.epoch).toBe(1);
});
