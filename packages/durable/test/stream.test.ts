/** The stream of a run in this process, and what a follower receives of it. */

import { type CallModel, type JournalStore, type Options, query, type SDKMessage } from '@turnwright/engine';
import { newDatabase, startCluster } from '@turnwright/test/durable/cluster.ts';
import { openedClient, openedDatabase, openedListener } from '@turnwright/test/durable/opened.ts';
import { eventually } from '@turnwright/test/durable/processes.ts';
import { callTool, fakeTool, pause, reply, say, scriptedModel, think } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Database, DurableClient } from '../src/index.ts';
import { createJournalStore } from '../src/postgres/journal-rows.ts';
import { createListener } from '../src/postgres/listener.ts';
import { endRun } from '../src/postgres/runs.ts';
import { beginRun } from '../src/postgres/tenants/begin.ts';
import { openRunOutbox } from '../src/stream/run-outbox.ts';

const OWNER = 'o';
const SESSION = '00000000-0000-4000-8000-000000000001';

interface Opened {
  readonly database: Database;
  readonly client: DurableClient;
}

async function opened(url?: string): Promise<Opened> {
  const database = await openedDatabase(url);
  return { database, client: openedClient(database) };
}

const look = () => fakeTool({ name: 'Look', effectClass: 'pure', readOnly: true, answer: () => 'seen' });

interface Running {
  /** The prompt; absent: the session goes on. */
  readonly prompt?: string;
  readonly callModel: CallModel;
  readonly options?: Options;
}

/** A run of the session, as a worker makes it. Yields its messages once the outbox has them. */
async function* run(
  { database }: Opened,
  { prompt, callModel, options = {} }: Running,
): AsyncGenerator<SDKMessage> {
  const listener = createListener(database);
  const outbox = await openRunOutbox({ database, listener, sessionId: SESSION, owner: OWNER });
  const { alongside } = outbox;
  const store = outbox.over(await createJournalStore(database, { cwd: '/', owner: OWNER, alongside }));
  const running = query({
    prompt,
    options: {
      ...(prompt === undefined ? { resume: SESSION } : { sessionId: SESSION }),
      settingSources: [],
      allowedTools: ['Look'],
      includePartialMessages: true,
      ...options,
      engine: { store, callModel, tools: [look()], home: '/nonexistent' },
    },
  });
  try {
    for await (const message of running) {
      outbox.take(message);
      yield message;
    }
  } finally {
    await running.return();
    await outbox.close();
    await listener.close();
  }
}

async function everything(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const all: SDKMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

const twoRounds = (): CallModel =>
  scriptedModel([reply([think(), say('Looking.'), callTool('Look')]), say('Done.')]).callModel;

/** What does not depend on being there at that time. */
const isKept = (message: SDKMessage): boolean =>
  message.type !== 'stream_event' &&
  message.type !== 'tool_progress' &&
  !(message.type === 'system' && (message.subtype === 'status' || message.subtype === 'thinking_tokens'));

async function followed(
  client: DurableClient,
  from?: string,
  until: (message: SDKMessage) => boolean = ({ type }) => type === 'result',
) {
  const messages: SDKMessage[] = [];
  let cursor = from ?? '';
  for await (const each of client.follow(SESSION, { from })) {
    messages.push(each.message);
    cursor = each.cursor;
    if (until(each.message)) break;
  }
  return { messages, cursor };
}

test('a follower who comes later receives the kept messages of the run, each once', async () => {
  const place = await opened();
  const live = await everything(run(place, { prompt: 'Go.', callModel: twoRounds() }));
  const last = live.at(-1)?.uuid;
  const { messages } = await followed(place.client, undefined, ({ uuid }) => uuid === last);
  const kept = live.filter(isKept).map(({ uuid }) => uuid);
  const received = messages.filter((message) => !('isReplay' in message)).map(({ uuid }) => uuid);
  expect(received.toSorted()).toEqual(kept.toSorted());
  // The order of the conversation is that of the journal.
  const isSaid = ({ type }: SDKMessage) => type === 'assistant' || type === 'user' || type === 'result';
  const said = (all: readonly SDKMessage[]) =>
    all.filter((message) => isSaid(message) && !('isReplay' in message)).map(({ uuid }) => uuid);
  expect(said(messages)).toEqual(said(live));
  expect(messages.find((message) => 'isReplay' in message)).toMatchObject({
    message: { content: 'Go.' },
  });
});

test('a follower who goes on behind a cursor sees the rest, wherever it left', async () => {
  const place = await opened();
  await everything(run(place, { prompt: 'Go.', callModel: twoRounds() }));
  const cursors: string[] = [];
  const all: string[] = [];
  for await (const { cursor, message } of place.client.follow(SESSION)) {
    cursors.push(cursor);
    all.push(message.uuid ?? '');
    if (message.type === 'result') break;
  }
  expect(new Set(cursors).size).toBe(cursors.length);
  for (const [at, from] of cursors.slice(0, -1).entries()) {
    const { messages } = await followed(place.client, from);
    expect(messages.map(({ uuid }) => uuid)).toEqual(all.slice(at + 1));
  }
});

/** Streams word by word; the delta `at` waits. */
function heldAt(at: number, until: Promise<void>, onHeld: () => void): CallModel {
  const model = scriptedModel([reply([say('one two three four')], { chunkChars: 1 })]);
  return async function* (request, call) {
    const playing = model.callModel(request, call);
    let deltas = 0;
    while (true) {
      const next = await playing.next();
      if (next.done === true) return next.value;
      const output = next.value;
      if (output.kind !== 'events') yield output;
      else
        for (const event of output.events) {
          if (event.type === 'content_block_delta' && deltas++ === at) {
            onHeld();
            await until;
          }
          yield { ...output, events: [event] };
        }
    }
  };
}

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

test('followers who come in the middle of a block receive what there is of it, and the rest', async () => {
  const place = await opened();
  const held = signal();
  const goOn = signal();
  const callModel = heldAt(8, goOn.given, held.give);
  const running = everything(run(place, { prompt: 'Go.', callModel }));
  await held.given;
  const texts: string[] = [];
  let upToDate = 0;
  const follow = async () => {
    let text = '';
    for await (const { message } of place.client.follow(SESSION)) {
      if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
        text += (message.event.delta as { readonly text: string }).text;
      // The second part is written when both have the first one: its end takes the place of its events.
      if (text.length === 8) upToDate += 1;
      if (upToDate === 2) goOn.give();
      if (message.type === 'assistant') break;
    }
    texts.push(text);
  };
  await Promise.all([running, follow(), follow()]);
  // The last events are replaced by the message of the block.
  for (const text of texts) expect('one two three four'.startsWith(text)).toBe(true);
  expect(texts.map(({ length }) => length >= 8)).toEqual([true, true]);
});

test('without followers no stream event is written, and none is left behind a run', async () => {
  const place = await opened();
  await everything(run(place, { prompt: 'Go.', callModel: twoRounds() }));
  const count = (table: string) =>
    place.database.run(`select 1 from turnwright.${table}`).then(({ length }) => length);
  expect(await count('frames')).toBe(0);
  expect(await count('messages')).toBeGreaterThan(0);
});

test('a worker that has lost the session writes no message any more', async () => {
  const place = await opened();
  const listener = openedListener(place.database);
  const outbox = await openRunOutbox({
    database: place.database,
    listener,
    sessionId: SESSION,
    owner: OWNER,
  });
  const store: JournalStore = outbox.over(
    await createJournalStore(place.database, { cwd: '/', owner: OWNER }),
  );
  await store.takeOver(SESSION);
  const said: SDKMessage = {
    type: 'system',
    subtype: 'informational',
    level: 'info',
    content: 'Late.',
    uuid: crypto.randomUUID(),
    session_id: SESSION,
  };
  await (await createJournalStore(place.database, { cwd: '/' })).takeOver(SESSION);
  outbox.take(said);
  await outbox.close();
  expect(await place.database.run('select 1 from turnwright.messages')).toEqual([]);
});

test('what is not there is named, and an answered prompt is not waited for', async () => {
  const { client, database } = await opened();
  const first = async (options: Parameters<DurableClient['follow']>[1], sessionId = SESSION) => {
    for await (const each of client.follow(sessionId, options)) return each;
    return undefined;
  };
  await expect(first({}, 'none')).rejects.toMatchObject({ code: 'session_not_found' });
  const { uuid } = await client.send(SESSION, 'Go.');
  await expect(first({ from: 'yesterday' })).rejects.toThrow('"yesterday" is not a cursor');
  await expect(first({ until: crypto.randomUUID() })).rejects.toThrow('has no prompt with the uuid');
  await database.run("update turnwright.sessions set state = 'poisoned', outcome = $1", [
    JSON.stringify({ error: 'Five workers ended.' }),
  ]);
  await expect(first({ until: uuid })).rejects.toThrow('Five workers ended.');
  const store = await createJournalStore(database, { cwd: '/' });
  const { epoch } = await store.takeOver(SESSION);
  const submission = 'x';
  await store.append(SESSION, epoch, 0, [
    { type: 'submission', id: 'x/submission', submission, model: 'm', permissionMode: 'default' },
    {
      type: 'user',
      uuid,
      timestamp: '',
      kind: 'prompt',
      message: { role: 'user', content: 'Go.' },
      submission,
    },
    { type: 'result', id: 'x/result', submission, result: { type: 'result', uuid: 'r' } },
  ]);
  expect((await followed(client)).messages).toHaveLength(2);
  expect(await first({ from: '3.0', until: uuid })).toBeUndefined();
});

test('a follower until the session is idle ends then, also when it waits for a prompt that has no result', async () => {
  const { client, database } = await opened();
  const { uuid } = await client.send(SESSION, 'Go.');
  const run = { sessionId: SESSION, run: 1, workerId: 'w1' };
  await beginRun(database, run);
  let ends = 0;
  const followers = [{ untilIdle: true }, { until: uuid }].map(async (options) => {
    for await (const _ of client.follow(SESSION, options));
    ends += 1;
  });
  // Followed, and not at its end.
  await eventually(async () => (await database.run('select 1 from turnwright.followers')).length > 0);
  expect(ends).toBe(0);
  expect(await endRun(database, { ...run, epoch: 0, taken: 1 })).toBe('ended');
  await Promise.all(followers);
});

test('a follower outlasts a crash of the server', async () => {
  const server = startCluster();
  onTestFinished(server.stop);
  const place = await opened(newDatabase(server.socketFolder));
  const goOn = signal();
  const { callModel } = scriptedModel([
    reply([say('One.'), callTool('Look'), pause(goOn.given)]),
    say('Done.'),
  ]);
  const running = everything(run(place, { prompt: 'Go.', callModel }));
  await eventually(async () => ((await place.client.status(SESSION))?.head ?? 0) > 4);
  const begun = signal();
  const following = followed(place.client, undefined, (message) => {
    begun.give();
    return message.type === 'result';
  });
  await begun.given;
  server.crash();
  server.restart();
  goOn.give();
  const [live, { messages }] = await Promise.all([running, following]);
  const kept = live.filter((message) => message.type === 'assistant' || message.type === 'result');
  const received = messages.filter((message) => message.type === 'assistant' || message.type === 'result');
  expect(received.map(({ uuid }) => uuid)).toEqual(kept.map(({ uuid }) => uuid));
});
