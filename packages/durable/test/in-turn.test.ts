/** Which worker takes which of the runs that are asked for at once. */

import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually, report, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, test } from 'vitest';
import { countPortion } from '../src/take-in-turn.ts';

const SESSIONS = 100;

test('of a hundred sessions that are sent at once, each of two workers gets its share', {
  timeout: 120_000,
}, async () => {
  const fleet = await startFleet();
  for (let at = 0; at < 2; at++) await fleet.start('held.ts', { CONCURRENCY: '100' });
  const client = openedClient({ url: fleet.url });
  const ids = Array.from({ length: SESSIONS }, (_, at) => `s${at}`);
  await Promise.all(ids.map((id) => client.send(id, 'Go.')));
  const taken = async () => {
    const rows = await fleet.database.run<{ readonly sessions: number }>(
      `select count(*)::int as sessions from turnwright.sessions where state = 'running' group by worker`,
    );
    return rows.map(({ sessions }) => sessions);
  };
  await eventually(async () => (await taken()).reduce((sum, some) => sum + some, 0) === SESSIONS, {
    describe: taken,
  });
  const each = await taken();
  report({ each });
  expect(
    each.filter((sessions) => sessions >= 35),
    `${each}`,
  ).toHaveLength(2);
});

test.for([
  ['all of what waits, alone', { waiting: 9, late: 0, taken: 3, living: 1 }, 3, 9],
  ['half of it beside another', { waiting: 9, late: 0, taken: 0, living: 2 }, 0, 5],
  ['none above its share', { waiting: 4, late: 0, taken: 6, living: 2 }, 6, 0],
  ['above it what the others leave', { waiting: 4, late: 3, taken: 6, living: 2 }, 6, 2],
  ['some of very many, whatever it has', { waiting: 500, late: 0, taken: 500, living: 5 }, 400, 100],
  ['all where no worker is known', { waiting: 2, late: 0, taken: 0, living: 0 }, 0, 2],
] as const)('a worker takes %s', ([, count, mine, portion]) => {
  expect(Math.max(0, countPortion(count, mine))).toBe(portion);
});
