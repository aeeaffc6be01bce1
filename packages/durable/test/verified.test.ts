/** Completion conditions hold for a submission, whichever workers it runs on. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultsOf } from '@turnwright/test/durable/judge.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';

test('a worker that is killed in the middle of a check: another one checks again, and there is one result', async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const runs = join(fleet.folder, 'runs');
  const go = join(fleet.folder, 'go');
  const CHECK = `echo ran >> ${runs}; test -f ${go} || sleep 120`;
  const first = await fleet.start('verified.ts', { CHECK });
  await client.send('s1', 'Go.');
  await eventually(() => existsSync(runs), { limitMs: 120_000, describe: first.stderr });
  first.signal('SIGKILL');
  await first.exited;
  writeFileSync(go, '');
  const second = await fleet.start('verified.ts', { CHECK });
  await eventually(async () => (await client.status('s1'))?.state === 'idle', {
    limitMs: 300_000,
    describe: async () => [await client.status('s1'), second.stderr()],
  });
  const [row] = await fleet.database.run<{ readonly body: string }>(
    `select body from turnwright.journal where body like '%"type":"result"%'`,
  );
  expect(JSON.parse(row?.body ?? '')).toMatchObject({
    result: {
      terminal_reason: 'completed',
      verification: { status: 'verified', checks: [{ outcome: 'passed', by: 'engine' }] },
    },
  });
  expect(readFileSync(runs, 'utf8')).toBe('ran\nran\n');
  expect([...(await resultsOf(fleet)).values()]).toEqual([1]);
});
