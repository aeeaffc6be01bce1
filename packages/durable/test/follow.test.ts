/** D6: what followers of a session see, while they and the workers come and go. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SDKMessage } from '@turnwright/engine';
import {
  eventually,
  type Fleet,
  startFleet,
  type WorkerProcess,
} from '@turnwright/test/durable/processes.ts';
import { inShortAndLongForm, isLong } from '@turnwright/test/long-form.ts';
import { percentile } from '@turnwright/test/percentile.ts';
import { expect, onTestFinished, test } from 'vitest';
import { type DurableClient, durableClient, type Followed } from '../src/index.ts';

function clientOf(fleet: Fleet): DurableClient {
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  return client;
}

/** A screen: it shows messages, and the text of a block that is not finished. */
class Viewer {
  readonly kept: string[] = [];
  readonly delaysMs: number[] = [];
  gaps = 0;
  duplicates = 0;
  tombstones = 0;
  cursor: string | undefined;
  /** Number of the last word of the unfinished block. */
  #word = -1;
  #connectedMs = Date.now();

  connected(): void {
    this.#connectedMs = Date.now();
  }

  take({ cursor, message }: Followed): void {
    this.cursor = cursor;
    if (message.type === 'stream_event') this.#event(message);
    else if (isTombstone(message)) {
      this.tombstones += 1;
      this.#word = -1;
    } else if (isKept(message)) {
      const { uuid = '' } = message;
      if (this.kept.includes(uuid)) this.duplicates += 1;
      this.kept.push(uuid);
      if (message.type === 'assistant') this.#word = -1;
    }
  }

  #event({ event }: Extract<SDKMessage, { type: 'stream_event' }>): void {
    if (event.type === 'message_start' || event.type === 'content_block_start') this.#word = -1;
    if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') return;
    const [number, madeMs] = event.delta.text.split('@').map(Number) as [number, number];
    if (number > this.#word + 1) this.gaps += 1;
    if (number <= this.#word) this.duplicates += 1;
    this.#word = number;
    if (madeMs > this.#connectedMs) this.delaysMs.push(Date.now() - madeMs);
  }
}

const isTombstone = (message: SDKMessage): boolean =>
  message.type === 'system' &&
  message.subtype === 'informational' &&
  message.retracted_message_uuids !== undefined;

/** Progress comes to those who are there at that time. */
const isKept = (message: SDKMessage): boolean =>
  message.type !== 'tool_progress' &&
  !(message.type === 'system' && ['status', 'thinking_tokens'].includes(message.subtype));

async function allOf(client: DurableClient, sessionId: string, uuid: string): Promise<readonly string[]> {
  const viewer = new Viewer();
  for await (const followed of client.follow(sessionId, { until: uuid })) viewer.take(followed);
  return viewer.kept;
}

/** The worker that runs most sessions. */
async function busiest(fleet: Fleet, workers: readonly WorkerProcess[]): Promise<WorkerProcess | undefined> {
  const [row] = await fleet.database.run<{ readonly worker: string }>(
    `select worker from turnwright.sessions where state = 'running' and worker = any($1)
       and head > 5 group by worker order by count(*) desc limit 1`,
    [workers.map(({ id }) => id)],
  );
  return workers.find(({ id }) => id === row?.worker);
}

test('D6: followers who reconnect see each message once, also when workers are killed', async () => {
  const [sessions, perSession, reconnects, kills] = isLong ? [4, 5, 10, 2] : [2, 3, 4, 1];
  const fleet = await startFleet();
  // About as often as a model sends events.
  const talk = { rounds: isLong ? 6 : 3, words: isLong ? 40 : 20, wordMs: 40 };
  const start = () => fleet.start('talking.ts', { SCENARIO: JSON.stringify(talk) });
  const workers = await Promise.all([start(), start()]);
  const clients = Array.from({ length: 2 }, () => clientOf(fleet));
  const ids = Array.from({ length: sessions }, () => crypto.randomUUID());
  const viewers: Viewer[] = [];
  const following: Promise<void>[] = [];
  const sent = new Map<string, string>();
  for (const id of ids) {
    const { uuid } = await (clients[0] as DurableClient).send(id, 'Talk.');
    sent.set(id, uuid);
    for (let at = 0; at < perSession; at++) {
      const viewer = new Viewer();
      viewers.push(viewer);
      const client = clients[viewers.length % clients.length] as DurableClient;
      following.push(watch(client, id, uuid, viewer, reconnects));
    }
  }
  for (let kill = 0; kill < kills; kill++) {
    await eventually(async () => (await busiest(fleet, workers)) !== undefined);
    await sleep(700);
    (await busiest(fleet, workers))?.signal('SIGKILL');
    workers.push(await start());
  }
  await Promise.all(following);
  for (const [at, viewer] of viewers.entries()) {
    const id = ids[Math.floor(at / perSession)] as string;
    const all = await allOf(clients[0] as DurableClient, id, sent.get(id) as string);
    expect(viewer.kept, 'messages, in order').toEqual(all);
    expect(viewer.gaps, 'gaps in the text').toBe(0);
    expect(viewer.duplicates, 'seen twice').toBe(0);
  }
  expect(
    viewers.some(({ tombstones }) => tombstones > 0),
    'an answer began anew',
  ).toBe(true);
  const delays = viewers.flatMap(({ delaysMs }) => delaysMs);
  expect(delays.length).toBeGreaterThan(100);
  const figures = { deltas: delays.length, p50: percentile(delays, 0.5), p95: percentile(delays, 0.95) };
  console.log('D6', JSON.stringify({ ...figures, tombstones: viewers.map((v) => v.tombstones) }));
  if (!isLong) return;
  expect(figures.p50).toBeLessThan(10);
  expect(figures.p95).toBeLessThan(150);
}, 300_000);

test('D6: no call and no result is seen twice when workers are killed while tools run', async () => {
  const fleet = await startFleet();
  const scenario = { rounds: inShortAndLongForm(30, 100), modelMs: 60, toolMs: 60 };
  const start = () => fleet.start('rounds.ts', { SCENARIO: JSON.stringify(scenario) });
  const workers = await Promise.all([start(), start()]);
  const client = clientOf(fleet);
  const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
  const streams = ids.map(async (id) => {
    const { uuid } = await client.send(id, 'Work.');
    const messages: SDKMessage[] = [];
    for await (const { message } of client.follow(id, { until: uuid })) messages.push(message);
    return messages;
  });
  let isOver = false;
  const all = Promise.all(streams).finally(() => {
    isOver = true;
  });
  let kills = 0;
  while (!isOver && kills < inShortAndLongForm(2, 8)) {
    await eventually(async () => isOver || (await busiest(fleet, workers)) !== undefined);
    await sleep(300 + Math.random() * 300);
    const victim = await busiest(fleet, workers);
    if (victim === undefined) continue;
    victim.signal('SIGKILL');
    kills += 1;
    workers.push(await start());
  }
  expect(kills).toBeGreaterThan(0);
  for (const messages of await all) {
    const uuids = messages.map(({ uuid }) => uuid);
    expect(new Set(uuids).size, 'each message once').toBe(uuids.length);
    const superseded = new Set(
      messages.flatMap((message) => (message.type === 'assistant' ? (message.supersedes ?? []) : [])),
    );
    const calls = messages.flatMap((message) =>
      message.type === 'assistant' && !superseded.has(message.uuid)
        ? message.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
        : [],
    );
    const results = messages.flatMap((message) =>
      message.type === 'user' && typeof message.message.content !== 'string'
        ? message.message.content.flatMap((block) =>
            block.type === 'tool_result' ? [block.tool_use_id] : [],
          )
        : [],
    );
    expect(results.toSorted(), 'one result for each call').toEqual(calls.toSorted());
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
  }
}, 300_000);

/** Follows until the result, and begins anew so many times. */
async function watch(
  client: DurableClient,
  sessionId: string,
  uuid: string,
  viewer: Viewer,
  reconnects: number,
): Promise<void> {
  for (let left = reconnects; ; left--) {
    const leaving = new AbortController();
    if (left > 0) setTimeout(() => leaving.abort(), 150 + Math.random() * 500).unref();
    viewer.connected();
    let isAnswered = false;
    const { cursor } = viewer;
    for await (const followed of client.follow(sessionId, {
      from: cursor,
      until: uuid,
      signal: leaving.signal,
    })) {
      viewer.take(followed);
      isAnswered = followed.message.type === 'result';
    }
    if (isAnswered || left === 0) return;
    await sleep(Math.random() * 100);
  }
}
