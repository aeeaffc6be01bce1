import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../../src/durable/index.ts';
import { eventually, startFleet } from './processes.ts';

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
