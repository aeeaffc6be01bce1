/** Old sessions in a store and back: byte for byte, whole at each moment, and whatever is killed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '@turnwright/engine/protocol/ports.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { openedClient, openedDatabase } from '@turnwright/test/durable/opened.ts';
import { built, eventually } from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { blobStoreChecks, createMemoryBlobStore, say } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  archiveSessions,
  type Database,
  durableClient,
  folderStore,
  inProcessRunner,
  prepareDatabase,
  restoreSession,
  worker,
} from '../src/index.ts';
import { createBlobStore } from '../src/postgres/blobs.ts';
import { createJournalStore } from '../src/postgres/journal-rows.ts';
import { alwaysAnswering } from './programs/scripted.ts';

const ID = '5e1f6f0a-2b0e-4f6b-9d6a-0a8d5a3c1b77';
const OLD = { olderThanMs: 30 * 86_400_000 };
const TABLES = ['sessions', 'journal', 'messages', 'inbox', 'interrupts', 'asks', 'blobs'];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'archive-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const prompt = (text: string, n: number) => ({
  type: 'user' as const,
  uuid: `22222222-2222-4222-8222-${String(n).padStart(12, '0')}`,
  timestamp: '2026-01-01T00:00:00.000Z',
  submission: 's',
  message: { role: 'user' as const, content: text },
});

/** One session with rows in every table, that did not change for forty days. */
async function withOld(url = newDatabase()): Promise<Database> {
  const db = await openedDatabase(url);
  const store = await createJournalStore(db, { cwd: '/w', owner: 'o' });
  const { epoch } = await store.takeOver(ID);
  const texts = ['Plain.', 'Ünïcode 🌊, "quotes", \\u0000 and a real one: \u0000.', 'x'.repeat(5_000)];
  for (let at = 0; at < 60; at += 3)
    await store.append(
      ID,
      epoch,
      at,
      texts.map((text, n) => prompt(text, at + n)),
    );
  await store.close(ID);
  await createBlobStore(db, ID).put('k', Uint8Array.from([0, 255, 10, 13]));
  await db.run(`
    insert into turnwright.messages values ('${ID}', 3, 1048577, 1, '{"type":"system"}');
    insert into turnwright.inbox (session_id, n, key, item) values ('${ID}', 1, 'k', '{"key":"k","content":"Hi."}');
    insert into turnwright.asks (session_id, ask_id, tool_use_id, tool_name, question, answer)
      values ('${ID}', 'a', 't', 'Bash', '{}', '{}');
    insert into turnwright.interrupts (session_id, key, taken_epoch) values ('${ID}', 'i', 1);
    update turnwright.sessions set tenant = 'acme', title = 'Waves', asked = 1, answered = 1,
      outcome = '{"subtype":"success"}', updated_at = now() - interval '40 days'`);
  return db;
}

/** All rows but the time of the last change, which is that of the return. */
async function rowsOf({ run }: Pick<Database, 'run'>): Promise<string> {
  const all = TABLES.map((table) =>
    run<{ row: string }>(
      `select (to_jsonb(t) - 'updated_at')::text as row from turnwright.${table} t order by 1`,
    ),
  );
  return JSON.stringify(await Promise.all(all));
}
const bodiesOf = ({ run }: Database) => run('select seq, body from turnwright.journal order by seq');
const isEmpty = async ({ run }: Database) =>
  (await Promise.all(TABLES.map((table) => run(`select 1 from turnwright.${table} limit 1`)))).every(
    (rows) => rows.length === 0,
  );

for (const check of blobStoreChecks(async () => ({ store: folderStore(folder()) })))
  test(check.name, check.run);

test('a session comes back byte for byte, and works', async () => {
  const url = newDatabase();
  const runner = inProcessRunner();
  await prepareDatabase(url, { runner });
  const db = await withOld(url);
  const [rows, bodies] = [await rowsOf(db), await bodiesOf(db)];
  const place = folder();
  expect(await archiveSessions(db, { blobs: folderStore(place), ...OLD })).toEqual([ID]);
  expect(await isEmpty(db)).toBe(true);
  expect(readdirSync(place)).toEqual([expect.stringMatching(`^${ID}-[0-9a-f]{32}[.]jsonl[.]gz$`)]);

  // Without the store it is refused; with it, a prompt brings it back.
  const restore = new RegExp(`^Session ${ID} .*archived.*: npx turnwright durable restore ${ID}`);
  const client = openedClient({ url });
  for (const ask of [
    () => client.send(ID, 'Hello?'),
    () => client.interrupt(ID),
    () => client.follow(ID)[Symbol.asyncIterator]().next(),
  ])
    await expect(ask()).rejects.toMatchObject({
      code: 'session_removed',
      message: expect.stringMatching(restore),
    });
  expect(await restoreSession(db, { sessionId: ID, blobs: folderStore(place) })).toBe(true);
  expect(await bodiesOf(db)).toEqual(bodies);
  expect(await rowsOf(db)).toBe(rows);
  expect(await restoreSession(db, { sessionId: ID, blobs: folderStore(place) })).toBe(false);

  await db.run(`update turnwright.sessions set updated_at = now() - interval '40 days'`);
  await archiveSessions(db, { blobs: folderStore(place), ...OLD });
  const { callModel } = alwaysAnswering(() => say('Here I am.'));
  const running = await worker({ db: url, runner, options: { settingSources: [], engine: { callModel } } });
  onTestFinished(() => running.drain(0));
  const bringing = durableClient(url, { archive: folderStore(place) });
  onTestFinished(() => bringing.close());
  expect(await bringing.send(ID, 'Hello?')).toMatchObject({ fresh: true, cursor: '60.0' });
  await eventually(async () => (await client.status(ID))?.state === 'idle');
  expect(await client.status(ID)).toMatchObject({
    tenant: 'acme',
    title: 'Waves',
    outcome: { subtype: 'success' },
  });
  expect((await bodiesOf(db)).slice(0, 60)).toEqual(bodies);
});

test('a store that lost or changed it: nothing is deleted, and nothing is brought back', async () => {
  const db = await withOld();
  const rows = await rowsOf(db);
  const memory = createMemoryBlobStore();
  const forgetful: BlobStore = { ...memory, put: async (key) => key };
  await expect(archiveSessions(db, { blobs: forgetful, ...OLD })).rejects.toThrow(
    'There is no stored result',
  );
  const changing: BlobStore = { ...memory, get: async (key) => (await memory.get(key)).slice(1) };
  await expect(archiveSessions(db, { blobs: changing, ...OLD })).rejects.toThrow('is not what was stored');
  expect(await rowsOf(db)).toBe(rows);
  await archiveSessions(db, { blobs: memory, ...OLD });
  await expect(restoreSession(db, { sessionId: ID, blobs: changing })).rejects.toThrow(
    'is not what was stored',
  );
  await expect(restoreSession(db, { sessionId: 'other', blobs: memory })).rejects.toMatchObject({
    code: 'session_not_found',
  });
  expect(await restoreSession(db, { sessionId: ID, blobs: memory })).toBe(true);
  expect(await rowsOf(db)).toBe(rows);
});

test('a session that goes on while it is archived stays', async () => {
  const db = await withOld();
  const memory = createMemoryBlobStore();
  const client = openedClient(db);
  const meanwhile: BlobStore = {
    ...memory,
    async put(key, bytes) {
      await client.send(ID, 'Wait!');
      return memory.put(key, bytes);
    },
  };
  expect(await archiveSessions(db, { blobs: meanwhile, ...OLD })).toEqual([]);
  expect(await client.status(ID)).toMatchObject({ state: 'queued', head: 60 });
});

test('several archive and restore it at once: it is in one place, whole', async () => {
  const db = await withOld();
  const rows = await rowsOf(db);
  const blobs = createMemoryBlobStore();
  for (let round = 0; round < 2; round++) {
    await db.run(`update turnwright.sessions set updated_at = now() - interval '40 days'`);
    const archived = await Promise.all([1, 2, 3].map(() => archiveSessions(db, { blobs, ...OLD })));
    expect(archived.flat()).toEqual([ID]);
    // One that is late, with the rows of a session that is back.
    const restored = await Promise.allSettled([
      ...[1, 2, 3].map(() => restoreSession(db, { sessionId: ID, blobs })),
      archiveSessions(db, { blobs, ...OLD }),
    ]);
    expect(restored.filter((one) => one.status === 'fulfilled' && one.value === true)).toHaveLength(1);
    expect(await rowsOf(db)).toBe(rows);
  }
});

/** A process that kills itself at its n-th step, of the database or of the store. */
test('killed at each step, it is in the tables or in the store, and the next call goes on', {
  timeout: 900_000,
}, async () => {
  const url = newDatabase();
  const db = await withOld(url);
  const rows = await rowsOf(db);
  const program = built('packages/durable/test/programs/archiving.ts');
  const place = folder();
  const run = (what: 'archive' | 'restore', killAt: number) => {
    const env = {
      PATH: process.env['PATH'],
      DB: url,
      FOLDER: place,
      WHAT: what,
      SESSION: ID,
      KILL_AT: String(killAt),
    };
    const ended = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
    if (ended.signal === null && ended.status !== 0) throw new Error(ended.stderr);
    return ended.signal === null;
  };
  const steps = inForm(
    [2, 9, 11, 14, 1_000],
    Array.from({ length: 60 }, (_, at) => at + 1),
  );
  const isWhole = async () => {
    const [away] = await db.run<{ n: number }>(
      `select count(*)::int as n from turnwright.removed where kind = 'archived'`,
    );
    if (away?.n === 0) expect(await rowsOf(db)).toBe(rows);
    else expect(readdirSync(place).length).toBeGreaterThan(0);
  };
  for (const what of ['archive', 'restore'] as const) {
    if (what === 'archive')
      await db.run(`update turnwright.sessions set updated_at = now() - interval '40 days'`);
    for (const at of steps) {
      const ended = run(what, at);
      await isWhole();
      if (ended) break;
    }
    if (what === 'archive') expect(await isEmpty(db)).toBe(true);
    else expect(await rowsOf(db)).toBe(rows);
  }
});

test('the commands, and what they say where something is missing', async () => {
  const db = await withOld();
  const place = folder();
  const run = (...words: readonly string[]) => commandLine([...words, '--db', db.url]);
  const archive = ['durable', 'archive', '--older-than', '30'];
  expect(await run('durable', 'archive')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--older-than'),
  });
  expect(await run(...archive)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('TURNWRIGHT_ARCHIVE'),
  });
  expect(await run(...archive, '--archive', place)).toMatchObject({ stdout: '1 session was archived.\n' });
  expect(await run('send', ID, 'Hello?')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`npx turnwright durable restore ${ID}`),
  });
  expect(await run('durable', 'show', ID)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`was archived on ${new Date().toISOString().slice(0, 10)} as "${place}`),
  });
  const [name = ''] = readdirSync(place);
  const bytes = readFileSync(join(place, name));
  writeFileSync(join(place, name), bytes.subarray(1));
  expect(await run('durable', 'restore', ID, '--archive', place)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not what was stored'),
  });
  writeFileSync(join(place, name), bytes);
  expect(await run('durable', 'restore', ID, '--archive', place)).toMatchObject({
    stdout: `${ID} is back, as it was.\n`,
  });
});
