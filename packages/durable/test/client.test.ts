/** What a client does to a session's row, on a real database and without a worker. */

import { openedClient, openedDatabase, openedEmpty } from '@turnwright/test/durable/opened.ts';
import { eventually } from '@turnwright/test/durable/processes.ts';
import { expect, test } from 'vitest';
import { type Database, type DurableClient, durableClient } from '../src/index.ts';
import { migrate } from '../src/postgres/tables/migrations.ts';

async function opened(): Promise<{ client: DurableClient; db: Database }> {
  const db = await openedDatabase();
  return { client: openedClient(db), db };
}

const park = (db: Database, on: 'ask' | 'time') =>
  db.run(
    `update turnwright.sessions set state = 'parked', parked = '{"on":"${on}"}' where session_id = 's1'`,
  );

async function asked(db: Database, question: object = { input: { command: 'ls' } }): Promise<void> {
  await db.run(
    `insert into turnwright.asks (session_id, ask_id, tool_use_id, tool_name, question)
      values ('s1', 'q1', 't1', 'Bash', $1)`,
    [JSON.stringify(question)],
  );
}

test('what is too long is refused in a short sentence, and nothing is stored', async () => {
  const { client, db } = await opened();
  const long = 'x'.repeat(5_000);
  const first = async (follows: AsyncIterable<unknown>) => {
    for await (const _ of follows) break;
  };
  await client.send('s1', 'Hello.');
  for (const [what, call] of [
    ['is not a session id', () => client.send(long, 'Hello.')],
    ['There is no session', () => client.interrupt(long)],
    ['There is no session', () => client.answer(long, 'q1', { behavior: 'allow' })],
    ['has not asked', () => client.answer('s1', long, { behavior: 'allow' })],
    ['There is no session', () => first(client.follow(long))],
    ['is not a cursor', () => first(client.follow('s1', { from: long }))],
    ['has no prompt with the uuid', () => first(client.follow('s1', { until: long }))],
  ] as const) {
    const error = await call().then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error?.message).toContain(what);
    expect(error?.message.length).toBeLessThan(400);
  }
  const small = durableClient(db.url, { maxPromptBytes: 1_000 });
  await expect(small.send('s1', long)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('The prompt has 5002 bytes as JSON, and at most 1000 are stored'),
  });
  await small.close();
  expect(await db.run('select session_id, n from turnwright.inbox')).toEqual([{ session_id: 's1', n: 1 }]);
});

test('the first prompt begins a session, and asks for a run', async () => {
  const { client } = await opened();
  expect(await client.status('s1')).toBeUndefined();
  const sent = await client.send('s1', 'Hello.', { tenant: 'acme' });
  expect(sent).toMatchObject({ fresh: true, cursor: '0.0' });
  expect(await client.status('s1')).toMatchObject({
    state: 'queued',
    tenant: 'acme',
    head: 0,
    questions: [],
  });
});

test('a prompt that is sent twice under one key is one prompt, and asks for one run', async () => {
  const { client, db } = await opened();
  const sent = await Promise.all([1, 2, 3].map(() => client.send('s1', 'Hello.', { key: 'k' })));
  expect(sent.filter(({ fresh }) => fresh)).toHaveLength(1);
  expect(new Set(sent.map(({ uuid }) => uuid)).size).toBe(1);
  expect(await db.run('select n from turnwright.inbox')).toEqual([{ n: 1 }]);
  expect(await db.run('select run from turnwright.sessions')).toEqual([{ run: 1 }]);
});

test('prompts of many processes at the same time are numbered without a gap', async () => {
  const { client, db } = await opened();
  await Promise.all(Array.from({ length: 40 }, (_, at) => client.send('s1', `prompt ${at}`)));
  const rows = await db.run<{ n: number }>('select n from turnwright.inbox order by n');
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
});

test('a prompt for a session that waits for an answer waits with it; an urgent one does not', async () => {
  const { client, db } = await opened();
  await client.send('s1', 'Hello.');
  await park(db, 'ask');
  await client.send('s1', 'And?');
  expect((await client.status('s1'))?.state).toBe('parked');
  await client.send('s1', 'Stop that.', { priority: 'now' });
  expect((await client.status('s1'))?.state).toBe('queued');
});

test('a prompt wakes a session that waits for a time', async () => {
  const { client, db } = await opened();
  await client.send('s1', 'Hello.');
  await park(db, 'time');
  await client.send('s1', 'And?');
  expect((await client.status('s1'))?.state).toBe('queued');
});

test('an answer is stored once, and asks for a run', async () => {
  const { client, db } = await opened();
  await client.send('s1', 'Hello.');
  await park(db, 'ask');
  await asked(db);
  expect((await client.status('s1'))?.questions).toMatchObject([
    { askId: 'q1', toolName: 'Bash', question: { input: { command: 'ls' } } },
  ]);
  await client.answer('s1', 'q1', { behavior: 'allow' });
  expect(await client.status('s1')).toMatchObject({ state: 'queued', questions: [] });
  await expect(client.answer('s1', 'q1', { behavior: 'deny', message: 'no' })).rejects.toThrow(
    'Question q1 has been answered already.',
  );
  expect(await db.run('select answer from turnwright.asks')).toEqual([{ answer: '{"behavior":"allow"}' }]);
});

test('of two answers at the same time one counts, and the other is refused', async () => {
  const { client, db } = await opened();
  await client.send('s1', 'Hello.');
  await park(db, 'ask');
  await asked(db);
  const answers = ['first', 'second'].map((message) =>
    client.answer('s1', 'q1', { behavior: 'deny', message }).then(() => message),
  );
  const settled = await Promise.allSettled(answers);
  const taken = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toMatchObject([
    { code: 'invalid_option', message: 'Question q1 has been answered already.' },
  ]);
  const rows = await db.run<{ readonly answer: string }>('select answer from turnwright.asks');
  expect(rows.map(({ answer }) => JSON.parse(answer).message)).toEqual(taken);
  expect(await db.run('select run from turnwright.sessions')).toEqual([{ run: 2 }]);
});

test('a client that follows many sessions does not warn of it', async () => {
  const { client, db } = await opened();
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on('warning', note);
  const ids = Array.from({ length: 12 }, (_, at) => `s${at}`);
  const following = ids.map(async (id) => {
    const { cursor } = await client.send(id, 'Hello.');
    for await (const _ of client.follow(id, { from: cursor }));
  });
  await eventually(async () => (await db.run('select 1 from turnwright.followers')).length === ids.length);
  // Behind what the followers read first.
  for (const id of ids) await client.status(id);
  await client.close();
  await Promise.all(following);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test('the form of an MCP server is answered in its own terms', async () => {
  const { client, db } = await opened();
  await client.send('s1', 'Hello.');
  await asked(db, { elicitation: { serverName: 'forms', message: 'Which one?' } });
  await client.answer('s1', 'q1', { behavior: 'allow', updatedInput: { colour: 'red' } });
  expect(await db.run('select answer from turnwright.asks')).toEqual([
    { answer: '{"action":"accept","content":{"colour":"red"}}' },
  ]);
});

test('an interrupt reaches a session that has something to interrupt', async () => {
  const { client, db } = await opened();
  await client.send('s1', 'Hello.');
  expect(await client.interrupt('s1')).toEqual({ interrupted: true });
  await db.run("update turnwright.sessions set state = 'idle'");
  expect(await client.interrupt('s1')).toEqual({ interrupted: false });
  expect(await db.run('select count(*)::int as count from turnwright.interrupts')).toEqual([{ count: 1 }]);
});

test('what is not there is named', async () => {
  const { client, db } = await opened();
  await expect(client.interrupt('none')).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(client.answer('none', 'q', { behavior: 'allow' })).rejects.toThrow('no session none');
  await expect(client.send('../etc', 'Hello.')).rejects.toMatchObject({ code: 'invalid_option' });
  await client.send('s1', 'Hello.');
  await expect(client.answer('s1', 'q9', { behavior: 'allow' })).rejects.toThrow('has not asked q9');
  expect(await db.run('select session_id from turnwright.sessions')).toEqual([{ session_id: 's1' }]);
});

test('a client of a database without tables says how to make them, and works once they are there', async () => {
  const db = await openedEmpty();
  const client = openedClient(db);
  await expect(client.send('s1', 'Hello.')).rejects.toThrow('turnwright durable migrate');
  await migrate(db);
  expect(await client.send('s1', 'Hello.')).toMatchObject({ fresh: true });
});

test('sessions are listed by state and tenant, the last changed first', async () => {
  const { client, db } = await opened();
  for (const [session, tenant] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
  ] as const)
    await client.send(session, 'Hello.', { tenant });
  await db.run("update turnwright.sessions set state = 'idle' where session_id = 'b'");
  const ids = async (options?: Parameters<DurableClient['sessions']>[0]) =>
    (await client.sessions(options)).map(({ sessionId }) => sessionId);
  expect(await ids()).toEqual(['c', 'b', 'a']);
  expect(await ids({ tenant: 'x' })).toEqual(['c', 'a']);
  expect(await ids({ state: 'idle' })).toEqual(['b']);
  expect(await ids({ limit: 1 })).toEqual(['c']);
  await client.send('b_2', 'Hello.');
  expect(await ids({ prefix: 'b' })).toEqual(['b_2', 'b']);
  expect(await ids({ prefix: 'b_' })).toEqual(['b_2']);
  expect(await ids({ prefix: '%' })).toEqual([]);
});
