/** Answers of a person that a worker does not live to hear. */

import type { Options, PermissionResult } from '@turnwright/engine';
import { resultsOf } from '@turnwright/test/durable/judge.ts';
import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, test } from 'vitest';

/** Of the worker that finds the answer. */
const NEXT: Readonly<Record<string, Partial<Options>>> = {
  'asks-again': { parkAfterMs: 600_000 },
  // The question is too old before its answer can be read.
  'parks-at-once': { parkAfterMs: 0.01 },
  // The answer decides about its call nevertheless.
  'would-not-ask': { parkAfterMs: 600_000, allowedTools: ['Effect'] },
  'parks-and-would-not-ask': { parkAfterMs: 0.01, allowedTools: ['Effect'] },
};
const ANSWERS: Readonly<Record<string, PermissionResult>> = {
  allowed: { behavior: 'allow' },
  denied: { behavior: 'deny', message: 'no' },
};

test('an answer to a question that was not parked yet decides about its call after the worker was killed', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const client = openedClient(fleet);
  const ids = Object.keys(NEXT).flatMap((next) => Object.keys(ANSWERS).map((answer) => `${next}-${answer}`));
  const asked = await fleet.start('approval.ts', {
    OPTIONS: JSON.stringify({ '': { parkAfterMs: 600_000, allowedTools: [] } }),
  });
  for (const id of ids) await client.send(id, 'Go.');
  const questionsOf = async (id: string) => (await client.status(id))?.questions ?? [];
  for (const id of ids) await eventually(async () => (await questionsOf(id)).length === 1);
  // It cannot hear of what follows, and still has its sessions.
  asked.signal('SIGSTOP');
  for (const id of ids) {
    expect(await client.status(id)).toMatchObject({ state: 'running' });
    const [question] = await questionsOf(id);
    const answer = ANSWERS[id.split('-').at(-1) as string] as PermissionResult;
    await client.answer(id, question?.askId as string, answer);
  }
  asked.signal('SIGKILL');
  await asked.exited;
  const next = await fleet.start('approval.ts', { OPTIONS: JSON.stringify(NEXT) });
  for (const id of ids)
    await eventually(async () => (await client.status(id))?.state === 'idle', {
      describe: async () => [await client.status(id), next.stderr()],
    });
  const ran = fleet.ledger().map(({ sessionId, what }) => `${sessionId} ${what}`);
  expect(ran.toSorted()).toEqual(
    ids
      .filter((id) => id.endsWith('allowed'))
      .map((id) => `${id} start`)
      .toSorted(),
  );
  expect([...(await resultsOf(fleet)).values()]).toEqual(ids.map(() => 1));
});
