/** The mode `auto` on workers: no person can be asked, and the word of a judge outlives the worker that asked. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultsOf } from '@turnwright/test/durable/judge.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';

test('a worker is killed while an allowed call runs: nothing runs twice, no word is asked for twice', async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const PROJECT = join(fleet.folder, 'project');
  mkdirSync(PROJECT);
  writeFileSync(join(PROJECT, 'once.sh'), 'echo ran >> runs\n[ -f go ] || sleep 120\n');
  const first = await fleet.start('judged.ts', { PROJECT });
  await client.send('s1', 'Go.');
  await eventually(() => existsSync(join(PROJECT, 'runs')), { limitMs: 120_000, describe: first.stderr });
  first.signal('SIGKILL');
  await first.exited;
  writeFileSync(join(PROJECT, 'go'), '');
  const second = await fleet.start('judged.ts', { PROJECT });
  await eventually(async () => (await client.status('s1'))?.state === 'idle', {
    limitMs: 300_000,
    describe: async () => [await client.status('s1'), second.stderr()],
  });
  expect(readFileSync(join(PROJECT, 'runs'), 'utf8')).toBe('ran\n');
  expect(existsSync(join(PROJECT, 'second'))).toBe(false);
  const judged = await fleet.database.run<{ readonly body: string }>(
    `select body from turnwright.journal where body like '%"type":"judge"%' order by seq`,
  );
  expect(judged.map(({ body }) => JSON.parse(body))).toMatchObject([
    { toolUseId: 'first', verdict: 'allow' },
    { toolUseId: 'second', verdict: 'hand_on' },
  ]);
  const [result] = await fleet.database.run<{ readonly body: string }>(
    `select body from turnwright.journal where body like '%"type":"result"%'`,
  );
  expect(JSON.parse(result?.body ?? '')).toMatchObject({
    result: { permission_denials: [{ tool_use_id: 'second' }] },
  });
  expect([...(await resultsOf(fleet)).values()]).toEqual([1]);
});
