/** D5: prompts and interrupts for sessions that run on workers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SDKMessage } from '@turnwright/engine';
import { eventually, type Fleet, startFleet } from '@turnwright/test/durable/processes.ts';
import { inShortAndLongForm, isLong } from '@turnwright/test/long-form.ts';
import { percentile } from '@turnwright/test/percentile.ts';
import { expect, onTestFinished, test } from 'vitest';
import { type DurableClient, durableClient } from '../src/index.ts';

async function fleetThat(talk: { rounds: number; words: number; wordMs: number }) {
  const fleet = await startFleet();
  await fleet.start('talking.ts', { SCENARIO: JSON.stringify(talk) });
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  return { fleet, client };
}

async function isRunning({ database }: Fleet, sessionId: string, head = 4): Promise<boolean> {
  const rows = await database.run(
    "select 1 from turnwright.sessions where session_id = $1 and state = 'running' and head >= $2",
    [sessionId, head],
  );
  return rows.length > 0;
}

/** Everything up to the result of the prompt. */
async function messagesUntil(
  client: DurableClient,
  sessionId: string,
  sent: { readonly cursor: string; readonly uuid: string },
): Promise<readonly SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const { message } of client.follow(sessionId, { from: sent.cursor, until: sent.uuid }))
    if (message.type !== 'stream_event') messages.push(message);
  return messages;
}

test('D5: prompts that are each sent twice join the running answer once', async () => {
  const count = inShortAndLongForm(8, 40);
  const { fleet, client } = await fleetThat({ rounds: count * 3, words: 5, wordMs: 10 });
  const first = await client.send('s1', 'Work.');
  await eventually(() => isRunning(fleet, 's1'));
  const uuids: string[] = [];
  for (let at = 0; at < count; at++) {
    await sleep(20 + Math.random() * 100);
    const send = () => client.send('s1', `Also ${at}.`, { key: `key-${at}` });
    const both = await Promise.all([send(), send()]);
    expect(both.filter(({ fresh }) => fresh)).toHaveLength(1);
    uuids.push(both[0].uuid);
  }
  const messages = await messagesUntil(client, 's1', first);
  const repeated = messages.filter((message) => message.type === 'user' && 'isReplay' in message);
  expect(repeated.map(({ uuid }) => uuid)).toEqual([first.uuid, ...uuids]);
  expect(messages.filter(({ type }) => type === 'result')).toHaveLength(1);
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });

  const rows = await fleet.database.run<{ readonly ms: number }>(
    `select min(extract(epoch from j.at - i.at)::float8 * 1000) as ms
     from turnwright.inbox i join turnwright.journal j
       on j.session_id = i.session_id and position(i.item::jsonb ->> 'uuid' in j.body) > 0
     where i.n > 1 group by i.n`,
  );
  const delays = rows.map(({ ms }) => ms);
  expect(delays).toHaveLength(count);
  console.log('D5 to the journal', { p50: percentile(delays, 0.5), p95: percentile(delays, 0.95) });
  if (isLong) expect(percentile(delays, 0.95)).toBeLessThan(150);
});

test('D5: an interrupt stops the answer, which still gets its one result', async () => {
  const { fleet, client } = await fleetThat({ rounds: 2, words: 2_000, wordMs: 10 });
  const delays: number[] = [];
  for (let at = 0; at < inShortAndLongForm(3, 20); at++) {
    const sent = await client.send('s1', `Talk ${at}.`);
    const { head } = (await client.status('s1')) as { readonly head: number };
    await eventually(() => isRunning(fleet, 's1', head + 4));
    await sleep(100);
    const aborted = () => fleet.ledger().filter(({ what }) => what === 'aborted');
    const askedMs = Date.now();
    // Twice: the second finds nothing more to stop.
    await Promise.all([client.interrupt('s1'), client.interrupt('s1')]);
    const messages = await messagesUntil(client, 's1', sent);
    expect(aborted()).toHaveLength(at + 1);
    delays.push((aborted().at(-1)?.ms ?? 0) - askedMs);
    expect(messages.filter(({ type }) => type === 'result')).toMatchObject([
      { type: 'result', terminal_reason: 'aborted_streaming' },
    ]);
    await eventually(async () => (await client.status('s1'))?.state === 'idle');
  }
  console.log('D5 until the abort', { p50: percentile(delays, 0.5), p95: percentile(delays, 0.95) });
  if (isLong) expect(percentile(delays, 0.95)).toBeLessThan(100);
}, 300_000);

test('an interrupt that comes when nothing runs does not stop the next answer', async () => {
  const { client, fleet } = await fleetThat({ rounds: 1, words: 3, wordMs: 1 });
  const first = await client.send('s1', 'Talk.');
  await messagesUntil(client, 's1', first);
  await eventually(async () => (await client.status('s1'))?.state === 'idle');
  expect(await client.interrupt('s1')).toEqual({ interrupted: false });
  // One that lost the race with the end of the run.
  await fleet.database.run("insert into turnwright.interrupts (session_id, key) values ('s1', 'late')");
  const second = await client.send('s1', 'Talk on.');
  expect((await messagesUntil(client, 's1', second)).at(-1)).toMatchObject({ subtype: 'success' });
});
