/** What a tenant may have and use: sessions, running runs, money of a day. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { openedClient, openedDatabase, openedEmpty } from '@turnwright/test/durable/opened.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { deferred, pause, reply, type ScriptStep, say } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Database,
  inProcessRunner,
  prepareDatabase,
  type Runner,
  setTenantLimits,
  tenantUse,
  type Worker,
  worker,
} from '../src/index.ts';
import { createSweep } from '../src/sweep.ts';
import { alwaysAnswering } from './programs/scripted.ts';

async function started(db: Database, runner: Runner, answer: ScriptStep): Promise<Worker> {
  const { callModel } = alwaysAnswering(answer);
  const engine = { callModel, maxOutputTokens: OUTPUT_TOKENS };
  const running = await worker({
    db: db.url,
    runner,
    options: { settingSources: [], cwd: '/tmp', tools: [], systemPrompt: 'Go.', engine },
  });
  onTestFinished(() => running.drain(0));
  return running;
}

const OUTPUT_TOKENS = 12_000;
/** Of an answer with so many tokens, by Opus, which is the default model. */
const ANSWER_USD = 0.24;
const dear = { usage: { output_tokens: OUTPUT_TOKENS } };

test('a tenant begins no more sessions than it may have, however many ask at once', async () => {
  const db = await openedDatabase();
  const client = openedClient(db);
  await setTenantLimits(db, '*', { sessions: 1 });
  await setTenantLimits(db, 'acme', { sessions: 3 });
  const send = (id: string, tenant: string) => client.send(id, 'Go.', { tenant });
  const sent = await Promise.allSettled(['1', '2', '3', '4', '5', '6'].map((id) => send(`a${id}`, 'acme')));
  expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  await expect(send('more', 'acme')).rejects.toMatchObject({
    code: 'limit_reached',
    message: expect.stringMatching(
      /^Tenant acme has 3 sessions, which is its limit.*durable limits acme --sessions/,
    ),
  });
  await send('of-other', 'other');
  await expect(send('of-other-2', 'other')).rejects.toMatchObject({ code: 'limit_reached' });
  const [one] = await client.sessions({ tenant: 'acme' });
  await send(one?.sessionId ?? '', 'acme');
  await db.run('delete from turnwright.sessions where session_id = $1', [one?.sessionId]);
  await send('more', 'acme');
  await setTenantLimits(db, '*', { sessions: null });
  await send('of-other-2', 'other');
  for (const name of ['*', 'x'.repeat(257)])
    await expect(send('wrong', name)).rejects.toThrow('The name of a tenant has at most 256 characters');
});

test('runs beyond the limit of their tenant wait for a place, and keep no other tenant waiting', async () => {
  const db = await openedDatabase();
  const client = openedClient(db);
  await setTenantLimits(db, 'acme', { runs: 1 });
  const runner = inProcessRunner();
  const released = deferred<void>();
  let open = 0;
  let most = 0;
  const order: string[] = [];
  const answer: ScriptStep = ({ sessionId }) => {
    if (!sessionId.startsWith('a')) return say('Done.');
    order.push(sessionId);
    open += 1;
    most = Math.max(most, open);
    const end = released.promise.then(() => {
      open -= 1;
    });
    return reply([pause(end), say('Done.')]);
  };
  await started(db, runner, answer);
  await started(db, runner, answer);
  const state = async (id: string) => (await client.status(id))?.state;
  await client.send('a1', 'Go.', { tenant: 'acme' });
  await eventually(() => order.length === 1);
  for (const id of ['a2', 'a3', 'a4']) {
    await client.send(id, 'Go.', { tenant: 'acme' });
    await eventually(async () => (await client.status(id))?.limit === 'runs');
  }
  await client.send('b1', 'Go.', { tenant: 'other' });
  await eventually(async () => (await state('b1')) === 'idle');
  expect(await client.status('a2')).toMatchObject({
    state: 'parked',
    limit: 'runs',
    why: 'Tenant acme may have 1 run at once, and has them: this one begins when one ends.',
  });
  expect((await tenantUse(db))[0]).toMatchObject({
    tenant: 'acme',
    limits: { runs: 1 },
    sessions: 4,
    runs: 1,
    heldRuns: 3,
  });
  released.resolve();
  for (const id of ['a1', 'a2', 'a3', 'a4']) await eventually(async () => (await state(id)) === 'idle');
  expect({ order, most }).toEqual({ order: ['a1', 'a2', 'a3', 'a4'], most: 1 });
});

test('a held run begins although the worker that had its place was killed; of two workers, one runs it', async () => {
  const fleet = await startFleet();
  const client = openedClient(fleet);
  await setTenantLimits(fleet.database, '*', { runs: 1 });
  const first = await fleet.start('held.ts', { CONCURRENCY: '10' });
  await client.send('s1', 'Go.', { tenant: 'acme' });
  await eventually(async () => (await client.status('s1'))?.worker === first.id);
  const second = await fleet.start('held.ts', { CONCURRENCY: '10' });
  for (const id of ['s2', 's3']) await client.send(id, 'Go.', { tenant: 'acme' });
  for (const id of ['s2', 's3']) await eventually(async () => (await client.status(id))?.limit === 'runs');
  first.signal('SIGKILL');
  await eventually(async () => (await client.status('s1'))?.worker === second.id);
  expect((await client.status('s2'))?.state).toBe('parked');
  writeFileSync(join(fleet.folder, 'released'), '');
  for (const id of ['s1', 's2', 's3'])
    await eventually(async () => (await client.status(id))?.state === 'idle', {
      describe: () => client.sessions(),
    });
});

test('the sweep lets in what no end of a run has let in, and is idle otherwise', async () => {
  const db = await openedDatabase();
  const client = openedClient(db);
  for (const id of ['s1', 's2', 's3']) await client.send(id, 'Go.', { tenant: 'acme' });
  await setTenantLimits(db, 'acme', { runs: 2 });
  await db.run(
    `update turnwright.sessions set state = 'parked', parked = '{"on":"time","limit":"runs"}', held_at = now()`,
  );
  await db.run("update turnwright.sessions set state = 'running' where session_id = 's1'");
  const dispatch = await inProcessRunner().open(db);
  const sweep = createSweep({
    database: db,
    dispatch,
    workerId: 'w',
    active: () => ['s1'],
    onHandedOver: () => undefined,
    onForgotten: () => undefined,
    stderr: () => undefined,
  });
  const states = async () => (await client.sessions()).map(({ state }) => state).toSorted();
  await sweep();
  expect(await states()).toEqual(['parked', 'queued', 'running']);
  // Its place is kept for a while, so that no newer run takes it.
  await sweep();
  expect(await states()).toEqual(['parked', 'queued', 'running']);
});

test('runs at the same time spend no more than the day of their tenant; they go on with a higher limit, or on the next day', async () => {
  const db = await openedDatabase();
  const client = openedClient(db);
  await setTenantLimits(db, 'acme', { usdPerDay: 1 });
  const runner = inProcessRunner();
  let asked = 0;
  const answer: ScriptStep = () => {
    asked += 1;
    return reply([say('Done.')], dear);
  };
  await started(db, runner, answer);
  await started(db, runner, answer);
  const ids = Array.from({ length: 8 }, (_, at) => `s${at}`);
  for (const id of ids) await client.send(id, 'Go.', { tenant: 'acme' });
  const count = async (state: string) =>
    (await client.sessions()).filter((one) => one.state === state).length;
  const settled = (idle: number) =>
    eventually(async () => (await count('idle')) === idle && (await count('parked')) === ids.length - idle, {
      describe: async () => [await client.sessions(), await tenantUse(db)],
    });
  await settled(4);
  expect(asked * ANSWER_USD).toBeLessThanOrEqual(1);
  const held = (await client.sessions({ state: 'parked' }))[0];
  expect(held).toMatchObject({
    limit: 'usdPerDay',
    why: expect.stringMatching(
      /^Tenant acme may use \$1 in a day \(UTC\), of which \$0\.0\d\d\d is left, and this call/,
    ),
    wakeAt: Date.parse(`${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`),
  });
  await setTenantLimits(db, 'acme', { usdPerDay: 1.5 });
  await settled(6);
  expect((await tenantUse(db))[0]?.usdToday).toBeCloseTo(asked * ANSWER_USD, 2);
  // As if it was tomorrow.
  await db.run('update turnwright.spending set day = day - 1');
  await db.run("update turnwright.sessions set wake_at = now() where state = 'parked'");
  await settled(8);
  expect(asked).toBe(8);
});

test('limits are set, shown and removed on the command line, and wrong ones are refused', async () => {
  const db = await openedDatabase();
  const client = openedClient(db);
  const run = (...words: string[]) => commandLine(['durable', 'limits', ...words, '--db', db.url]);
  expect((await run()).stdout).toMatch(/^There are no limits of tenants/);
  expect(await run('*', '--runs', '8', '--tokens-per-minute', '400000')).toMatchObject({
    code: 0,
    stderr: '',
  });
  await run('acme', '--sessions', '20', '--usd-per-day', '2.5', '--requests-per-minute', '30');
  await client.send('s1', 'Go.', { tenant: 'acme' });
  const { stdout } = await run();
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ['tenant', 'sessions', 'runs', 'held', 'dollars today', 'requests/min', 'tokens/min'],
    ['*', '-', '8', '-', '-', '-', '400,000'],
    ['acme', '1 of 20', '0 of 8*', '0', '0.00 of 2.50', '30', '400,000*'],
  ]);
  await run('acme', '--sessions', 'none');
  expect(JSON.parse((await run('acme', '--json')).stdout)).toEqual([
    {
      tenant: 'acme',
      limits: { usdPerDay: 2.5, requestsPerMinute: 30 },
      sessions: 1,
      runs: 0,
      heldRuns: 0,
      usdToday: 0,
    },
  ]);
  for (const [words, sentence] of [
    [['acme', '--runs', '-1'], 'Give a whole number above 0, or none.'],
    [['acme', '--runs', '1.5'], 'Give a whole number above 0, or none.'],
    [['acme', '--usd-per-day', 'NaN'], 'Give a number above 0, or none.'],
    [['acme', '--usd-per-day', '0'], 'Give a number above 0, or none.'],
    [['nobody', '--runs', 'none'], 'Tenant nobody has no limit runs of its own, so none can be removed.'],
    [['--runs', '3'], 'Say whose limit it is: turnwright durable limits <tenant or *> --runs <figure>'],
  ] as const)
    expect(await run(...words), words.join(' ')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(sentence),
    });
  expect(await commandLine(['durable', 'status', '--runs', '3', '--db', db.url])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--runs goes with "limits" only'),
  });
  await expect(setTenantLimits(db, 'acme', { runs: Number.NaN })).rejects.toThrow(
    'runs is NaN; it must be a whole',
  );
});

test('show, status and the list say which limit holds a session, and what helps', async () => {
  const url = newDatabase();
  await prepareDatabase(url);
  const db = await openedEmpty(url);
  const client = openedClient(db);
  const run = (...words: string[]) => commandLine([...words, '--db', db.url]);
  for (const id of ['s1', 's2']) await client.send(id, 'Go.', { tenant: 'Acme & Co' });
  const hold = (id: string, limit: string) =>
    db.run(
      `update turnwright.sessions set state = 'parked', parked = $2, held_at = now() where session_id = $1`,
      [id, JSON.stringify({ on: 'time', limit, why: `It is ${limit}.` })],
    );
  await hold('s1', 'runs');
  await hold('s2', 'usdPerDay');
  expect((await run('durable', 'show', 's1')).stdout).toMatch(
    /It is runs\. Raise the limit: npx turnwright durable limits 'Acme & Co' --runs <n>\n$/,
  );
  expect((await run('durable', 'show', 's2')).stdout).toMatch(
    /It is usdPerDay\. It goes on with the next day, or with a higher limit: .* 'Acme & Co' --usd-per-day <usd>\n$/,
  );
  expect((await run('durable', 'status')).stdout).toContain(
    'limits     hold 1 run until one of the same tenant ends, and 1 session until its tenant has money again: npx turnwright durable limits',
  );
  expect((await run('sessions')).stdout).toContain('It is runs.');
});

test('status says for what sessions were set aside, and what helps', async () => {
  const db = await openedDatabase();
  await openedClient(db).send('s1', 'Go.');
  await db.run(
    `update turnwright.sessions set state = 'poisoned', outcome = '{"error":"Set aside after 5 runs: boom"}'`,
  );
  const { stdout } = await commandLine(['durable', 'status', '--db', db.url]);
  expect(stdout).toContain(
    'set aside  try one again: npx turnwright durable retry <session>; all about it: show <session>\n  s1  Set aside after 5 runs: boom\n',
  );
});

test('a session that waits for money can be interrupted, and its follower hears why it waits', async () => {
  const db = await openedDatabase();
  const client = openedClient(db);
  await setTenantLimits(db, '*', { usdPerDay: 1 });
  await db.run(
    `insert into turnwright.spending (tenant, day, usd) values ('acme', (now() at time zone 'utc')::date, 1)`,
  );
  await started(db, inProcessRunner(), () => say('Done.'));
  await client.send('s1', 'Go.', { tenant: 'acme' });
  await eventually(async () => (await client.status('s1'))?.limit === 'usdPerDay');
  const followed = commandLine(['send', 's1', '--follow', '--from', '0.0', '--db', db.url]);
  // What it says first comes before it follows.
  await eventually(async () => (await db.run('select 1 from turnwright.followers')).length > 0);
  await client.interrupt('s1');
  await eventually(async () => (await client.status('s1'))?.state === 'idle', {
    describe: () => client.status('s1'),
  });
  expect((await followed).stderr).toMatch(/s1 waits: Tenant acme .* durable limits acme --usd-per-day/);
  expect((await client.status('s1'))?.outcome).toMatchObject({ reason: 'aborted_streaming' });
});
