/** What a worker takes, refuses and hands on. */

import { type DurableClient, durableClient, worker } from '@turnwright/durable';
import { expect, onTestFinished, test } from 'vitest';
import { resealed } from '../../packages/engine/src/session/journal/envelope.ts';
import { judge, resultsOf } from './judge.ts';
import { eventually, type Fleet, startFleet } from './processes.ts';

const SCENARIO = JSON.stringify({ rounds: 3, modelMs: 700, toolMs: 50 });
const LONG = JSON.stringify({ rounds: 12, modelMs: 700, toolMs: 50 });

async function clientOf(fleet: Fleet): Promise<DurableClient> {
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  return client;
}

const allIdle = (client: DurableClient, ids: readonly string[]) =>
  eventually(
    async () =>
      (await client.sessions({ state: 'idle' })).filter(({ sessionId }) => ids.includes(sessionId)).length ===
      ids.length,
    { limitMs: 300_000, describe: () => client.sessions() },
  );

test.each([
  { options: { resume: 's1' }, said: '"resume": a worker resumes each session itself' },
  {
    options: { abortController: new AbortController() },
    said: '"abortController": it would end the sessions of one process',
  },
  { options: { persistSession: false }, said: '"persistSession": sessions are stored in the database' },
])('options of one process are refused: $said', async ({ options, said }) => {
  await expect(worker({ db: 'postgresql:///nowhere', options })).rejects.toThrow(said);
});

test('D11: workers are replaced by a later version and back, while sessions run: all of them end, once', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const client = await clientOf(fleet);
  const ids = Array.from({ length: 8 }, (_, at) => `session-${at}`);
  const env = { SCENARIO: LONG, DRAIN_MS: '200' };
  let present = await fleet.start('rounds.ts', env);
  for (const id of ids) await client.send(id, 'Go.');
  for (const version of ['0.2.0', '0.1.0']) {
    await eventually(() => fleet.ledger().some(({ pid }) => pid === present.child.pid));
    const next = await fleet.start('rounds.ts', { ...env, TURNWRIGHT_BUILD_VERSION: version });
    // It has no time to finish: what it has is handed over.
    present.signal('SIGTERM');
    expect(await present.exited).toBe(0);
    present = next;
  }
  await allIdle(client, ids);
  const { rerun, doubled, lost } = judge(fleet.ledger());
  expect({ rerun, doubled, lost }).toEqual({ rerun: [], doubled: [], lost: [] });
  expect([...(await resultsOf(fleet)).values()]).toEqual(ids.map(() => 1));
});

test('D11: sessions that wait for an answer go on in a later version, and those that it parked in the earlier one', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const client = await clientOf(fleet);
  const parked = (ids: readonly string[]) =>
    eventually(
      async () => {
        const states = await Promise.all(ids.map((id) => client.status(id)));
        return states.every((status) => status?.state === 'parked');
      },
      { describe: () => client.sessions() },
    );
  const answer = async (id: string) => {
    const [question] = (await client.status(id))?.questions ?? [];
    await client.answer(id, question?.askId ?? '', { behavior: 'allow' });
  };
  let present = await fleet.start('approval.ts');
  const replaceBy = async (version: string) => {
    const next = await fleet.start('approval.ts', { TURNWRIGHT_BUILD_VERSION: version });
    present.signal('SIGTERM');
    expect(await present.exited).toBe(0);
    present = next;
  };
  const early = ['early-1', 'early-2', 'early-3'];
  const late = ['late-1', 'late-2'];
  for (const id of early) await client.send(id, 'Go.');
  await parked(early);
  await replaceBy('0.2.0');
  await answer('early-1');
  await allIdle(client, ['early-1']);
  for (const id of late) await client.send(id, 'Go.');
  await parked(late);
  await replaceBy('0.1.0');
  for (const id of ['early-2', 'early-3', ...late]) await answer(id);
  await allIdle(client, [...early, ...late]);
  const started = fleet.ledger().map(({ sessionId }) => sessionId);
  expect(started.toSorted()).toEqual([...early, ...late]);
  expect([...(await resultsOf(fleet)).values()]).toEqual([...early, ...late].map(() => 1));
});

test('D11: a session with a record of a later format is left as it is, until a worker can read it', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const client = await clientOf(fleet);
  const { database } = fleet;
  const started = await fleet.start('rounds.ts', { SCENARIO });
  await client.send('s1', 'Go.');
  await allIdle(client, ['s1']);
  const [last] = await database.run<{ readonly seq: number; readonly body: string }>(
    'select seq, body from turnwright.journal order by seq desc limit 1',
  );
  const body = JSON.parse(last?.body ?? '{}') as { readonly seq: number };
  const newer = resealed({ ...body, v: 99, seq: body.seq + 1, id: 'n1' });
  await database.run(
    `insert into turnwright.journal (session_id, seq, epoch, entry_id, body) values ('s1', $1, 1, 'n1', $2)`,
    [body.seq + 1, newer],
  );
  await database.run('delete from turnwright.snapshots');
  await database.run(`update turnwright.sessions set head = $1 where session_id = 's1'`, [body.seq + 1]);
  await client.send('s1', 'Go on.');
  await eventually(async () => (await client.status('s1'))?.state === 'parked', {
    describe: async () => [await client.status('s1'), started.stderr()],
  });
  const { outcome } = (await client.status('s1')) ?? {};
  expect(String(outcome?.['failure'])).toContain('later');
  const kept = await database.run<{ readonly body: string }>(
    'select body from turnwright.journal where seq > $1',
    [body.seq],
  );
  expect(kept.map((row) => row.body)).toEqual([newer]);
  // The version that wrote the record is there again.
  await database.run('delete from turnwright.journal where seq > $1', [body.seq]);
  await database.run(`update turnwright.sessions set head = $1, wake_at = now()`, [body.seq]);
  await allIdle(client, ['s1']);
});

test('a session that stays on its host waits for it, and another host does not take it', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const client = await clientOf(fleet);
  const home = () => fleet.start('at-home.ts', { SCENARIO, HOST_NAME: 'home' });
  const first = await home();
  await client.send('s1', 'Go.');
  await eventually(() => fleet.ledger().some(({ what }) => what === 'start'));
  expect((await client.status('s1'))?.host).toBe('home');
  first.signal('SIGKILL');
  await first.exited;
  const elsewhere = await fleet.start('at-home.ts', { SCENARIO, HOST_NAME: 'elsewhere' });
  await client.send('s2', 'Go.');
  await allIdle(client, ['s2']);
  expect((await client.status('s1'))?.state).not.toBe('idle');
  await home();
  await allIdle(client, ['s1']);
  const pids = new Set(fleet.ledger().flatMap(({ sessionId, pid }) => (sessionId === 's1' ? [pid] : [])));
  expect(pids).not.toContain(elsewhere.child.pid);
  expect(judge(fleet.ledger())).toMatchObject({ rerun: [], doubled: [], lost: [] });
});

test('a worker has at most eight connections, however many sessions it runs', async () => {
  const fleet = await startFleet();
  const client = await clientOf(fleet);
  const ids = Array.from({ length: 40 }, (_, at) => `s${at}`);
  const one = await fleet.start('rounds.ts', { SCENARIO, DB: `${fleet.url}&application_name=worker` });
  for (const id of ids) await client.send(id, 'Go.');
  let most = 0;
  await eventually(async () => {
    const [row] = await fleet.database.run<{ readonly open: number; readonly left: number }>(
      `select (select count(*)::int from pg_stat_activity
                 where application_name = 'worker' and datname = current_database()) as open,
         (select count(*)::int from turnwright.sessions where state <> 'idle') as left`,
    );
    most = Math.max(most, row?.open ?? 0);
    return row?.left === 0;
  });
  expect(most).toBeGreaterThan(2);
  expect(most).toBeLessThanOrEqual(8);
  expect([one.stdout(), one.stderr()]).toEqual([`ready ${one.id}\n`, '']);
});
