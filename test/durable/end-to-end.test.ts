import { expect, onTestFinished, test } from 'vitest';
import { openDispatch } from '../../src/durable/index.ts';
import { eventually, startFleet } from './processes.ts';
import { sendAll } from './sending.ts';

test('a prompt that is sent runs on a worker to its result, and the worker drains on SIGTERM', async () => {
  const fleet = await startFleet();
  const dispatch = await openDispatch(fleet.url);
  onTestFinished(() => dispatch.close());
  const started = await fleet.start('rounds.ts', {
    SCENARIO: JSON.stringify({ rounds: 2, modelMs: 10, toolMs: 10 }),
  });
  await sendAll(fleet.database, dispatch, [crypto.randomUUID()]);
  const row = async () => {
    const [session] = await fleet.database.run<{ readonly state: string; readonly outcome: string | null }>(
      'select state, outcome from turnwright.sessions',
    );
    return session;
  };
  await eventually(async () => (await row())?.state === 'idle', {
    describe: async () => [await row(), started.stderr()],
  });
  expect(JSON.parse((await row())?.outcome ?? '')).toMatchObject({ subtype: 'success', isError: false });
  started.signal('SIGTERM');
  expect(await started.exited).toBe(0);
  expect(await fleet.database.run('select 1 from turnwright.workers')).toEqual([]);
});
