import { setTimeout as sleep } from 'node:timers/promises';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { forgotten, judge, lateAppends, resultsOf } from '@turnwright/test/durable/judge.ts';
import { eventually, type LedgerLine, startFleet } from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { describe, expect, test } from 'vitest';
import { durableClient } from '../src/index.ts';
import { startProxy } from './socket-proxy.ts';

const SCENARIO = JSON.stringify({ rounds: 4, modelMs: 1_500, toolMs: 300 });
const AWAY_MS = 20_000;
const LAST_BREATH_MS = 500;

describe.concurrent('a worker that is away for 20 s and comes back', () => {
  test.for(inForm(['stopped'], ['stopped', 'cut off']))(
    'D3: the sessions of a worker that was %s are handed over, and it writes nothing when it is back',
    { timeout: 300_000 },
    async (how, { onTestFinished }) => {
      const fleet = await startFleet(newDatabase(), onTestFinished);
      const proxy = await startProxy(fleet.url, onTestFinished);
      const zombie = await fleet.start('rounds.ts', { SCENARIO, DB: proxy.url });
      const client = durableClient(fleet.url);
      const ids = Array.from({ length: 10 }, (_, at) => `session-${at}`);
      for (const id of ids) await client.send(id, 'Go.');
      const linesOfZombie = () => fleet.ledger().filter(({ pid }) => pid === zombie.child.pid);
      await eventually(
        () =>
          new Set(linesOfZombie().flatMap((line) => (line.what === 'start' ? line.sessionId : []))).size ===
          10,
      );
      const other = await fleet.start('rounds.ts', { SCENARIO });
      if (how === 'stopped') zombie.signal('SIGSTOP');
      else proxy.cut();
      await sleep(AWAY_MS);
      const away = await fleet.database.run('select 1 from turnwright.workers where worker_id = $1', [
        zombie.id,
      ]);
      expect(away).toEqual([]);
      const backMs = Date.now();
      if (how === 'stopped') zombie.signal('SIGCONT');
      else proxy.restore();
      for (const id of ids)
        await eventually(async () => (await client.status(id))?.state === 'idle', {
          limitMs: 300_000,
          describe: async () => [await client.status(id), zombie.stderr(), other.stderr()],
        });
      // A request that was about to be sent is sent when the process goes on: nothing follows from its answer.
      const isLastBreath = ({ pid, what, ms }: LedgerLine) =>
        pid === zombie.child.pid && what === 'asked' && ms >= backMs && ms < backMs + LAST_BREATH_MS;
      const { rerun, doubled, lost } = judge(fleet.ledger().filter((line) => !isLastBreath(line)));
      expect({ rerun, doubled, lost }).toEqual({ rerun: [], doubled: [], lost: [] });
      expect(await lateAppends(fleet)).toBe(0);
      expect([...(await resultsOf(fleet)).values()]).toEqual(ids.map(() => 1));
      expect(await forgotten(fleet.database)).toEqual([]);
      // It is a worker like the others again.
      await eventually(
        async () =>
          (await fleet.database.run('select 1 from turnwright.workers where worker_id = $1', [zombie.id]))
            .length === 1,
      );
      await client.close();
    },
  );
});
