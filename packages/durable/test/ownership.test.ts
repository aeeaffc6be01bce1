/** Who may begin a run, write to its session and end it: the rows alone, in every order of two runs. */

import { openedDatabase } from '@turnwright/test/durable/opened.ts';
import { expect, test } from 'vitest';
import type { Database } from '../src/index.ts';
import { createAppendQueue } from '../src/postgres/append-queue.ts';
import { groupCalls } from '../src/postgres/group-calls.ts';
import { createJournalStore } from '../src/postgres/journal-rows.ts';
import { doubtfulRuns, endRun, failRun } from '../src/postgres/runs.ts';
import { beginRun } from '../src/postgres/tenants/begin.ts';
import { removeWorker } from '../src/postgres/workers.ts';

const SESSION = '11111111-1111-4111-8111-111111111111';

async function queued(): Promise<Database> {
  const database = await openedDatabase();
  for (const id of ['a', 'b'])
    await database.run(
      `insert into turnwright.workers (worker_id, host, pid, lock_key, version) values ($1, 'h', 1, 1, '1')`,
      [id],
    );
  await database.run(`insert into turnwright.sessions (session_id, state, run) values ($1, 'queued', 1)`, [
    SESSION,
  ]);
  return database;
}

const begin = async (database: Database, workerId: string) =>
  (await beginRun(database, { sessionId: SESSION, run: 1, workerId })) !== undefined;

const storeOf = (database: Database, ownedBy: string) => createJournalStore(database, { cwd: '/w', ownedBy });

const prompt = (text: string) => ({
  type: 'user' as const,
  uuid: `22222222-2222-4222-8222-${text.padStart(12, '0')}`,
  timestamp: '2026-01-01T00:00:00.000Z',
  submission: 's',
  message: { role: 'user' as const, content: text },
});

const ended = { sessionId: SESSION, run: 1, taken: 0 };

const rowOf = async (database: Database) =>
  (
    await database.run<{ state: string; worker: string | null }>(
      'select state, worker from turnwright.sessions',
    )
  )[0];

test('a session that runs is begun by its own worker alone while that one lives', async () => {
  const database = await queued();
  expect(await begin(database, 'a')).toBe(true);
  expect(await begin(database, 'b')).toBe(false);
  expect(await begin(database, 'a')).toBe(true);
  expect(await rowOf(database)).toEqual({ state: 'running', worker: 'a' });
});

test('a worker that was removed has no sessions, also when it is back', async () => {
  const database = await queued();
  await begin(database, 'a');
  expect(await removeWorker(database, 'a')).toBe(true);
  expect(await removeWorker(database, 'a')).toBe(false);
  await database.run(
    `insert into turnwright.workers (worker_id, host, pid, lock_key, version) values ('a', 'h', 1, 1, '1')`,
  );
  expect(await begin(database, 'b')).toBe(true);
  await expect((await storeOf(database, 'a')).takeOver(SESSION)).rejects.toMatchObject({
    code: 'session_in_use',
  });
  expect((await (await storeOf(database, 'b')).takeOver(SESSION)).epoch).toBe(1);
});

test('of two runs of one worker, the one that the other has fenced writes nothing and ends nothing', async () => {
  const database = await queued();
  await begin(database, 'a');
  const [first, second] = [await storeOf(database, 'a'), await storeOf(database, 'a')];
  const { epoch } = await first.takeOver(SESSION);
  const own = { ...ended, workerId: 'a', epoch };
  const { epoch: later } = await second.takeOver(SESSION);
  expect(later).toBe(epoch + 1);
  expect(await first.append(SESSION, epoch, 0, [prompt('1')])).toEqual({ fenced: true });
  expect(await endRun(database, own)).toBe('lost');
  await failRun(database.run, { ...own, error: 'broken off', retryMs: 1, fault: 'session' });
  expect(await rowOf(database)).toEqual({ state: 'running', worker: 'a' });
  expect(await second.append(SESSION, later, 0, [prompt('2')])).toEqual({ seq: 1 });
  expect(await endRun(database, { ...own, epoch: later })).toBe('ended');
  expect(await rowOf(database)).toEqual({ state: 'idle', worker: null });
});

test('a run that its worker does not know is taken from it; one that it works on is not', async () => {
  const database = await queued();
  await begin(database, 'a');
  const look = (active: readonly string[]) =>
    doubtfulRuns(database.run, { workerId: 'a', active, others: true, limit: 10 });
  await database.run('update turnwright.sessions set updated_at = to_timestamp(0)');
  expect(await look([SESSION])).toEqual([]);
  expect(await look([])).toEqual([{ sessionId: SESSION, run: 1, host: null, isAbandoned: true }]);
  expect(await begin(database, 'b')).toBe(true);
});

test('two writers of one session do not fail those whose appends wait beside theirs', async () => {
  const database = await queued();
  await begin(database, 'a');
  const appends = createAppendQueue(database);
  const own = { owner: 'o', isProgress: true };
  const append = (sessionId: string, epoch: number, id: string) =>
    appends.append({ ...own, sessionId, epoch, afterSeq: 0, ids: [id], lines: ['{}'], frames: [] });
  await database.run(`insert into turnwright.sessions (session_id) values ('other')`);
  await database.run(`update turnwright.sessions set owner = 'o'`);
  const both = [append(SESSION, 0, 'one'), append(SESSION, 0, 'two'), append('other', 0, 'three')];
  expect(await Promise.all(both)).toEqual([true, false, true]);
  const stores = await Promise.all([1, 2, 3].map(() => storeOf(database, 'a')));
  const epochs = await Promise.all(stores.map(async (store) => (await store.takeOver(SESSION)).epoch));
  expect(epochs.toSorted()).toEqual([1, 2, 3]);
});

test('calls with the same key are in different statements, in their order', async () => {
  const statements: (readonly string[])[] = [];
  const work = groupCalls(
    async (calls: readonly string[]) => {
      statements.push(calls);
      return calls;
    },
    { keyOf: (call) => call[0] ?? '', statements: 1 },
  );
  await Promise.all(['a1', 'b1', 'a2', 'c1', 'a3'].map(work));
  expect(statements).toEqual([['a1', 'b1'], ['a2', 'c1'], ['a3']]);
});
