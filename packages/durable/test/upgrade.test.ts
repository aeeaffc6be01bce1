/** Versions of the package side by side, on tables that one of them brought on. */

import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { forgotten, judge, lateAppends, resultsOf } from '@turnwright/test/durable/judge.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkTables,
  durableClient,
  pendingMigrations,
  prepareDatabase,
  TABLES_VERSION,
} from '../src/index.ts';
import { previousPackage, whyNoPreviousPackage } from './previous-package.ts';

const SCENARIO = JSON.stringify({ rounds: 2, modelMs: 300, toolMs: 50 });

test.skipIf(whyNoPreviousPackage !== undefined)(
  `workers and clients of the package before this one go on beside it, start again, and take over: ${whyNoPreviousPackage ?? 'one step forward, and back'}`,
  async () => {
    const previous = await previousPackage();
    const url = newDatabase();
    const fleet = await startFleet(url, onTestFinished, previous.durable.prepareDatabase);
    await expect(checkTables(fleet.database.run)).rejects.toThrow(
      `, and this package needs ${TABLES_VERSION}: npx turnwright durable migrate`,
    );
    expect(await pendingMigrations(url)).not.toEqual([]);
    const [newClient, oldClient] = [durableClient(url), previous.durable.durableClient(url)];
    onTestFinished(() => newClient.close());
    onTestFinished(() => oldClient.close());
    const startOld = () => fleet.start('rounds.ts', { SCENARIO }, previous.folder);
    const old = await startOld();
    await oldClient.send('before', 'Go.');
    await eventually(() => fleet.ledger().length > 0);

    // One step forward: the tables first, while what is old works.
    await prepareDatabase(url);
    const ids = ['before'];
    const work = async (name: string) => {
      await newClient.send(`${name}-new`, 'Go.');
      await oldClient.send(`${name}-old`, 'Go.');
      ids.push(`${name}-new`, `${name}-old`);
    };
    const allIdle = async () => {
      for (const id of ids)
        await eventually(async () => (await newClient.status(id))?.state === 'idle', {
          describe: () => newClient.sessions(),
        });
    };
    await work('of-old-worker');
    await allIdle();
    const next = await fleet.start('rounds.ts', { SCENARIO });
    await work('of-both');
    await eventually(() => fleet.ledger().some(({ sessionId }) => sessionId.startsWith('of-both')));
    old.signal('SIGKILL');
    await work('of-new-worker');
    await allIdle();

    // And back: what is old starts again, also the preparation that its containers begin with.
    await previous.durable.prepareDatabase(url);
    const again = await startOld();
    await work('of-both-again');
    await eventually(() => fleet.ledger().some(({ sessionId }) => sessionId.startsWith('of-both-again')));
    next.signal('SIGTERM');
    expect(await next.exited).toBe(0);
    for (const id of ['before', 'of-new-worker-new']) await newClient.send(id, 'Once more.');
    await work('back');
    await allIdle();

    expect(next.stderr()).not.toContain('has no result');
    expect([old, again].map(({ stderr }) => stderr())).toEqual(['', expect.not.stringContaining('Session')]);
    expect(await forgotten(fleet.database)).toEqual([]);
    const { rerun, doubled, lost } = judge(fleet.ledger());
    expect({ rerun, doubled, lost }).toEqual({ rerun: [], doubled: [], lost: [] });
    expect(await lateAppends(fleet)).toBe(0);
    const twice = new Set(['before', 'of-new-worker-new']);
    expect(Object.fromEntries(await resultsOf(fleet))).toEqual(
      Object.fromEntries(ids.map((id) => [id, twice.has(id) ? 2 : 1])),
    );
  },
);

test('a database is prepared by several programs at once', async () => {
  const url = newDatabase();
  const made = await Promise.all([1, 2, 3, 4].map(() => prepareDatabase(url)));
  expect(made.map(({ from }) => from).toSorted()).toEqual([0, ...Array(3).fill(TABLES_VERSION)]);
  expect(await pendingMigrations(url)).toEqual([]);
});
