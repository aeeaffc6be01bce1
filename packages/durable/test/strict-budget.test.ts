/** A strict budget is that of a submission, whichever workers it runs on (L9). */

import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';

const CALL_USD = 0.24;
const BUDGET_USD = 1.5;

test('a submission that three workers carry on, of which two are killed, spends no more than its budget', async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const die = async (round: number) => {
    const worker = await fleet.start('spending.ts', { DIE_IN: String(round) });
    if (round === 2) await client.send('s1', 'Go.');
    await eventually(() => worker.child.signalCode !== null, { limitMs: 300_000, describe: worker.stderr });
  };
  await die(2);
  await die(4);
  const last = await fleet.start('spending.ts');
  await eventually(async () => (await client.status('s1'))?.state === 'idle', {
    limitMs: 300_000,
    describe: async () => [await client.status('s1'), fleet.ledger(), last.stderr()],
  });
  const asked = fleet.ledger().filter(({ what }) => what === 'asked');
  expect(new Set(asked.map(({ pid }) => pid)).size).toBe(3);
  expect(asked.length * CALL_USD).toBeLessThanOrEqual(BUDGET_USD);
  // What is left pays for no whole answer: the last ones had a lower cap, or were not made.
  expect((asked.length + 1) * CALL_USD).toBeGreaterThan(BUDGET_USD - 0.1);
  expect((await client.status('s1'))?.outcome).toMatchObject({ subtype: 'error_max_budget_usd' });
});
