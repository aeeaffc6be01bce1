/** A session that goes on for months: what it does not need any more is removed, and nothing else. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Database,
  type DurableClient,
  inProcessRunner,
  openDatabase,
  prepareDatabase,
  shortenSessions,
  worker,
} from '@turnwright/durable';
import { type JournalEntry, query } from '@turnwright/engine';
import { callTool, fakeTool, say, scriptedModel } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createBlobStore } from '../../packages/durable/src/postgres/blobs.ts';
import { createJournalStore } from '../../packages/durable/src/postgres/journal-rows.ts';
import { resumeSession } from '../../packages/engine/src/session/resume/resume.ts';
import { newDatabase } from './cluster.ts';
import { openedClient } from './opened.ts';
import { eventually } from './processes.ts';

const ID = '5e1f6f0a-2b0e-4f6b-9d6a-0a8d5a3c1b77';
const NOW = { olderThanMs: 0 };

let calls = 0;
const look = fakeTool({
  name: 'Look',
  effectClass: 'pure',
  readOnly: true,
  answer: () => 'seen '.repeat(50),
});
/** Every other answer is a call. */
const { callModel } = scriptedModel(
  Array.from({ length: 1_000 }, () => () => {
    calls += 1;
    return calls % 2 === 1 ? callTool('Look', { calls }) : say(`Done ${calls}.`);
  }),
);

interface Place {
  readonly db: Database;
  readonly client: DurableClient;
  tell(prompt: string, key?: string): Promise<void>;
}

/** A session that was compacted twice, and went on. */
async function compacted(): Promise<Place> {
  const url = newDatabase();
  const runner = inProcessRunner();
  await prepareDatabase(url, { runner });
  const db = await openDatabase({ url });
  onTestFinished(() => db.close());
  const options = {
    settingSources: [],
    cwd: '/tmp',
    allowedTools: ['Look'],
    engine: { callModel, tools: [look] },
  };
  const running = await worker({ db: url, runner, options });
  onTestFinished(() => running.drain(0));
  const client = openedClient({ url });
  const tell = async (prompt: string, key?: string) => {
    await client.send(ID, prompt, { key });
    await eventually(async () => (await client.status(ID))?.state === 'idle', {
      describe: () => client.sessions(),
    });
  };
  for (let round = 1; round <= 2; round++) {
    for (let at = 1; at <= 6; at++)
      await tell(`Look ${round}.${at}. ${'Please. '.repeat(6_000)}`, `${round}.${at}`);
    await tell('/compact');
  }
  await tell('And on.');
  return { db, client, tell };
}

async function entriesOf(db: Database): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of (await createJournalStore(db, { cwd: '/' })).read(ID)) entries.push(entry);
  return entries;
}

function resumed(entries: readonly JournalEntry[]) {
  const { view, problems: _, ...facts } = resumeSession(entries);
  return { ...facts, messages: view.messages.slice() };
}

test('what precedes the last compaction is removed, and the session is the same', async () => {
  const { db, client, tell } = await compacted();
  const kept = Buffer.from(JSON.stringify([{ path: `/tmp/${ID}/tool-results/old`, bytes: 3 }]));
  await createBlobStore(db, ID).put('tool-results/index', kept);
  await createBlobStore(db, ID).put(`tool-results/tmp/${ID}/tool-results/old#0`, Buffer.from('old'));
  const before = await entriesOf(db);
  const messages = before.flatMap((entry) => (entry.type === 'user' ? [entry.uuid] : []));
  const { cursor: early } = await client.send(ID, 'Look.', { key: '1.1' });
  expect(early).toBe(`${before.length}.0`);

  const { sessions, records } = await shortenSessions(db, NOW);
  const after = await entriesOf(db);
  expect(sessions).toBe(1);
  expect(after.length).toBe(before.length - records);
  expect(after.length).toBeLessThan(before.length / 3);
  expect(isDeepStrictEqual(resumed(after), resumed(before))).toBe(true);
  expect(await db.run('select key, octet_length(bytes) as n from turnwright.blobs')).toEqual([
    { key: 'tool-results/index', n: 2 },
  ]);
  const [texts] = await db.run<{ n: number }>('select max(length(item)) as n from turnwright.inbox');
  expect(texts?.n).toBeLessThan(300);

  // Numbers stay, keys of prompts stay, and the session goes on.
  expect(await client.status(ID)).toMatchObject({ head: before.length, state: 'idle' });
  expect(await client.send(ID, 'Look again?', { key: '1.1' })).toMatchObject({ fresh: false });
  await tell('Once more.', 'more');
  expect((await client.status(ID))?.head).toBeGreaterThan(before.length);
  expect(await shortenSessions(db, NOW)).toEqual({ sessions: 0, records: 0 });

  // Followers: from an early place, from the first that is kept, and from the beginning.
  const follow = async (from?: string) => {
    const texts: string[] = [];
    for await (const { message } of client.follow(ID, { from, untilIdle: true }))
      if (message.type === 'result' && message.subtype === 'success') texts.push(message.result);
    return texts;
  };
  const { keptFrom = 0 } = (await client.status(ID)) ?? {};
  const first = `${keptFrom - 1}.0`;
  await expect(follow('12.0')).rejects.toMatchObject({
    code: 'session_removed',
    message: `What session ${ID} said behind "12.0" is not complete any more: follow it from "${first}".`,
  });
  expect(await follow(first)).toEqual(await follow());
  expect((await follow()).length).toBeGreaterThanOrEqual(2);

  // Back to a message that is gone.
  const back = query({
    prompt: 'Back.',
    options: {
      resume: ID,
      resumeSessionAt: messages[0] ?? '',
      settingSources: [],
      engine: { callModel, home: '/nonexistent', store: await createJournalStore(db, { cwd: '/' }) },
    },
  });
  expect((await back.next()).value).toMatchObject({
    errors: [expect.stringContaining('Early messages of this session were removed')],
  });
});

test('a removal that ends anywhere leaves the same session, and the next one ends it', async () => {
  const { db } = await compacted();
  const before = resumed(await entriesOf(db));
  for (let statements = 1; ; statements++) {
    let done = 0;
    const counted: Database['run'] = (text, values) => {
      done += 1;
      return done > statements ? Promise.reject(new Error('The process is gone.')) : db.run(text, values);
    };
    const ending: Database = {
      ...db,
      run: counted,
      transaction: (work) =>
        db.transaction((run) =>
          work((text, values) => {
            done += 1;
            return done > statements ? Promise.reject(new Error('The process is gone.')) : run(text, values);
          }),
        ),
    };
    const ended = await shortenSessions(ending, NOW).then(
      () => true,
      () => false,
    );
    expect(isDeepStrictEqual(resumed(await entriesOf(db)), before)).toBe(true);
    if (ended) break;
  }
  expect(await shortenSessions(db, NOW)).toEqual({ sessions: 0, records: 0 });
});

test('a session that works, or has a prompt without a result, is left alone', async () => {
  const { db } = await compacted();
  const before = await entriesOf(db);
  for (const state of [`state = 'running'`, `state = 'idle', asked = answered + 1`]) {
    // No worker sees it.
    await db.transaction(async (run) => {
      await run(`update turnwright.sessions set ${state}`);
      expect(await shortenSessions({ ...db, run, transaction: (work) => work(run) }, NOW)).toEqual({
        sessions: 0,
        records: 0,
      });
      await run(`update turnwright.sessions set state = 'idle', answered = asked`);
    });
  }
  expect(await entriesOf(db)).toHaveLength(before.length);
});
