// A worker whose database is far away: how long 100 sessions take that are sent at once, and what the round trips cost on
// paper (docs/scale.md).
//   node bench/scale/distance.mjs            20 and 40 ms
//   node bench/scale/distance.mjs 5 80       so many ms from the database and back
import { spawnSync } from 'node:child_process';

const given = process.argv.slice(2);
console.log('round trip, ms | near, s | on paper, s | measured, s | ratio | round trips a session');
for (const roundTrip of given.length > 0 ? given : ['20', '40']) {
  const { stdout, stderr, status } = spawnSync(
    'npx',
    ['vitest', 'run', '--project', 'durable', 'packages/durable/test/distance.test.ts'],
    {
      encoding: 'utf8',
      cwd: new URL('../..', import.meta.url),
      env: { ...process.env, TURNWRIGHT_LONG_TESTS: '1', ROUND_TRIP_MS: roundTrip },
    },
  );
  const found = /\{"roundTripMs":.*\}/.exec(stdout)?.[0];
  if (found === undefined) throw new Error(`The test ended with ${status}: ${stdout}${stderr}`);
  const { nearMs, paperMs, measuredMs, ratio, tripsOfSession } = JSON.parse(found);
  const [near, paper, measured] = [nearMs, paperMs, measuredMs].map((ms) => (ms / 1000).toFixed(1));
  console.log([roundTrip, near, paper, measured, ratio.toFixed(2), tripsOfSession.toFixed(1)].join(' | '));
}
