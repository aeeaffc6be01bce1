/** A hand-over that nobody needed: the worker that has the sessions lives, and is only slow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { forgotten, judge, lateAppends, resultsOf } from '@turnwright/test/durable/judge.ts';
import { eventually, startFleet, type WorkerProcess } from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { expect, test } from 'vitest';
import { durableClient } from '../src/index.ts';
import { startProxy } from './socket-proxy.ts';

const form = inForm({ sessions: 12, handOvers: 4 }, { sessions: 80, handOvers: 8 });
const SCENARIO = JSON.stringify({ rounds: 4, modelMs: 400, toolMs: 200 });
const SCHEMA = 'turnwright_dbos';

/** Gives every run that a worker has begun to the queue again, as the sweep does with one that it takes for lost. */
async function handOverAll(client: DBOSClient): Promise<number> {
  const begun = await client.listWorkflows({ status: 'PENDING', loadInput: false, loadOutput: false });
  const ids = begun.map(({ workflowID }) => workflowID);
  if (ids.length > 0) await client.resumeWorkflows(ids, { queueName: 'turnwright' });
  return ids.length;
}

test.for(inForm([2], [1, 2]))(
  'ends no session, repeats no call and loses none, with %s workers that are 40 ms away',
  { timeout: 300_000 },
  async (workers, { onTestFinished }) => {
    const fleet = await startFleet(newDatabase(), onTestFinished);
    const proxy = await startProxy(fleet.url, onTestFinished, { delayMs: 40 });
    const started: WorkerProcess[] = [];
    for (let at = 0; at < workers; at++)
      started.push(await fleet.start('rounds.ts', { SCENARIO, DB: proxy.url }));
    const client = durableClient(fleet.url);
    const ids = Array.from({ length: form.sessions }, (_, at) => `session-${at}`);
    for (const id of ids) await client.send(id, 'Go.');
    const queue = await DBOSClient.create({ systemDatabaseUrl: fleet.url, systemDatabaseSchemaName: SCHEMA });
    onTestFinished(() => queue.destroy());
    await eventually(() => fleet.ledger().some(({ what }) => what === 'start'));
    let handedOver = 0;
    for (let at = 0; at < form.handOvers; at++) {
      handedOver += await handOverAll(queue);
      await sleep(500);
    }
    expect(handedOver).toBeGreaterThan(0);
    for (const id of ids)
      await eventually(async () => (await client.status(id))?.state === 'idle', {
        limitMs: 300_000,
        describe: async () => [await client.status(id), ...started.map((one) => one.stderr())],
      });
    const { rerun, doubled, lost, restarted } = judge(fleet.ledger());
    expect({ rerun, doubled, lost, restarted }).toEqual({ rerun: [], doubled: [], lost: [], restarted: 0 });
    expect(await lateAppends(fleet)).toBe(0);
    const outcomes = await Promise.all(ids.map(async (id) => (await client.status(id))?.outcome));
    expect(outcomes.map((outcome) => outcome?.subtype)).toEqual(ids.map(() => 'success'));
    expect([...(await resultsOf(fleet)).values()]).toEqual(ids.map(() => 1));
    expect(await forgotten(fleet.database)).toEqual([]);
    await client.close();
  },
);
