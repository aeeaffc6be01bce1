import { expect, test } from 'vitest';
import { durableClient } from '../../src/durable/index.ts';
import { eventually, startFleet } from './processes.ts';

test('D10: a session that kills every worker is set aside, and the others go on', {
  timeout: 120_000,
}, async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  let deaths = 0;
  let isOver = false;
  const supervised = async (): Promise<void> => {
    while (!isOver) {
      // A worker may die as soon as it has started.
      await fleet.start('poison.ts').then(
        (one) => one.exited,
        () => null,
      );
      if (!isOver) deaths += 1;
    }
  };
  const supervising = [supervised(), supervised()];
  await client.send('poison', 'Go.');
  const others = Array.from({ length: 10 }, (_, at) => `other-${at}`);
  for (const id of others) await client.send(id, 'Go.');
  const poisoned = () => client.status('poison');
  await eventually(async () => (await poisoned())?.state === 'poisoned', {
    limitMs: 50_000,
    describe: poisoned,
  });
  expect((await poisoned())?.outcome).toEqual({
    error: 'Set aside after 5 runs in a row without any progress: each time the worker ended.',
  });
  for (const id of others)
    await eventually(async () => (await client.status(id))?.state === 'idle', {
      describe: () => client.status(id),
    });
  // One with the first progress, and five without any.
  expect(deaths).toBe(6);
  isOver = true;
  fleet.end();
  await Promise.all(supervising);
  await client.close();
});
