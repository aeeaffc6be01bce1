/** What people on call do: `turnwright durable show`, `retry`, `release`, `move`, `cancel`, `delete` and `cordon`. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { callTool, deferred, pause, reply, say } from '@turnwright/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  type Database,
  inProcessRunner,
  type LogLine,
  openDatabase,
  openOperator,
  prepareDatabase,
  worker,
} from '../src/index.ts';
import { alwaysAnswering } from './programs/scripted.ts';

interface OnCall {
  readonly db: Database;
  run(action: string, ...more: string[]): ReturnType<typeof commandLine>;
}

const database = lazily(async () => {
  const url = newDatabase();
  await prepareDatabase(url);
  return openDatabase({ url, connections: 2 });
});
afterAll(async () => (await database()).close());

/** A database with one session, `s1`, that has a prompt and is in this state. */
async function opened(state = ''): Promise<OnCall> {
  const db = await database();
  for (const table of ['workers', 'asks', 'inbox', 'sessions'])
    await db.run(`delete from turnwright.${table}`);
  await openedClient(db).send('s1', 'Hello.', { tenant: 'acme' });
  if (state !== '') await db.run(`update turnwright.sessions set ${state}`);
  return { db, run: (action, ...more) => commandLine(['durable', action, 's1', ...more, '--db', db.url]) };
}

const WORKER = (age: string) =>
  `insert into turnwright.workers (worker_id, host, pid, lock_key, heartbeat, version)
    values ('w1', 'one', 7, 1, now() - interval '${age}', '1.0.0')`;

/** State of the row, a statement beside it, and the sentence that leads to what helps. */
const WHY: readonly (readonly [string, string | undefined, RegExp])[] = [
  ['', undefined, /It waits for a free worker\. .*durable status/],
  [
    `host = 'far'`,
    undefined,
    /It waits for a free worker of far, .*\(any host: npx turnwright durable release s1\)/,
  ],
  [`state = 'idle'`, undefined, /Every prompt has its result\./],
  [
    `state = 'poisoned', outcome = '{"error":"Set aside after 5 runs"}'`,
    undefined,
    /why +Set aside after 5 runs\. Try it again: npx turnwright durable retry s1 \(or remove it: npx turnwright durable delete s1\)/,
  ],
  [
    `state = 'parked', parked = '{"on":"time"}', wake_at = now() + interval '1 h', outcome = '{"failure":"boom"}'`,
    undefined,
    /It waits until \d{4}-.*: boom\. Now: npx turnwright durable retry s1/,
  ],
  [
    `state = 'parked', parked = '{"on":"ask"}'`,
    `insert into turnwright.asks (session_id, ask_id, tool_use_id, tool_name, question) values ('s1', 'q1', 't1', 'Bash', '{}')`,
    /It waits for an answer: npx turnwright answer s1 q1 allow/,
  ],
  [
    `state = 'running', worker = 'w1'`,
    `insert into turnwright.asks (session_id, ask_id, tool_use_id, tool_name, question)
      values ('s1', 'q1', 't1', 'Bash', '{"input":{"command":"make"}}')`,
    /question +q1: Bash \{"command":"make"\}\n.*It waits for an answer: npx turnwright answer s1 q1 allow/s,
  ],
  [`state = 'running', worker = 'w1'`, undefined, /Its worker is gone/],
  [`state = 'running', worker = 'w1'`, WORKER('1 s'), /It runs\. Stop it: npx turnwright durable cancel s1/],
  [`state = 'running', worker = 'w1'`, WORKER('12 s'), /Its worker is silent/],
];

test('show says why a session waits, and what helps', async () => {
  for (const [state, beside, why] of WHY) {
    const { db, run } = await opened(state);
    if (beside !== undefined) await db.run(beside);
    const { code, stdout } = await run('show');
    expect({ code, stdout }, state).toMatchObject({ code: 0, stdout: expect.stringMatching(why) });
    expect(stdout).toContain('tenant     acme');
  }
  const { run } = await opened(`state = 'running', worker = 'w1'`);
  await (await database()).run(WORKER('1 s'));
  expect(JSON.parse((await run('show', '--json')).stdout)).toMatchObject({
    sessionId: 's1',
    state: 'running',
    prompts: 1,
    heldBy: { workerId: 'w1', host: 'one' },
  });
});

const POISONED = `state = 'poisoned', barren_epochs = 5, outcome = '{"error":"x"}'`;
const WAITING = `state = 'parked', parked = '{"on":"time"}', wake_at = now() + interval '1 h', barren_epochs = 3`;

test.each([
  ['retry', POISONED, { state: 'queued', barren: 0, run: 2 }],
  ['retry', WAITING, { state: 'queued', barren: 0, run: 2 }],
  ['release', `host = 'far'`, { state: 'queued', host: null, run: 2 }],
  ['release', `state = 'idle', host = 'far'`, { state: 'idle', host: null, run: 1 }],
  ['move', `state = 'running', worker = 'w1'`, { state: 'queued', worker: null, run: 2 }],
  ['move', '', { state: 'queued', run: 2 }],
  ['delete', POISONED, undefined],
  ['delete', `state = 'idle'`, undefined],
])('%s of a session with %s', async (action, state, left) => {
  const { db, run } = await opened(state);
  const { code, stdout, stderr } = await run(action);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^s1 .*\.\n$/);
  const [row] = await db.run(
    'select state, run, host, worker, barren_epochs as barren from turnwright.sessions',
  );
  if (left === undefined) expect(row).toBeUndefined();
  else expect(row).toMatchObject(left);
  const prompts = await db.run('select 1 from turnwright.inbox');
  expect(prompts).toHaveLength(left === undefined ? 0 : 1);
});

test.each([
  [
    'retry',
    `state = 'running'`,
    'Session s1 was not set aside and waits for no other attempt: it is running.',
  ],
  ['retry', `state = 'parked', parked = '{"on":"ask"}'`, 'it is parked.'],
  ['release', '', 'Session s1 is bound to no host.'],
  ['release', `state = 'running', host = 'far'`, 'Session s1 runs on far: move it first.'],
  ['move', `state = 'idle'`, 'Session s1 is idle: only what runs or is queued can be moved.'],
  ['delete', `state = 'running'`, 'Session s1 is running: cancel it first, or wait until it is idle.'],
])('%s of a session with %s is refused, and changes nothing', async (action, state, sentence) => {
  const { db, run } = await opened(state);
  const before = await db.run('select * from turnwright.sessions');
  const { code, stderr } = await run(action);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
  expect(await db.run('select * from turnwright.sessions')).toEqual(before);
});

test('a session must be named, and must be there', async () => {
  const { db } = await opened();
  const call = (...words: string[]) => commandLine(['durable', ...words, '--db', db.url]);
  expect(await call('show')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Name the session: '),
  });
  expect(await call('status', 's1')).toMatchObject({ code: 2 });
  for (const action of ['show', 'retry', 'release', 'move', 'cancel', 'delete'])
    expect(await call(action, 'nothing')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no session nothing in this database.'),
    });
});

test('what is moved while it works ends once, with another worker, and nothing is done twice', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const client = openedClient(fleet);
  const first = await fleet.start('held.ts', { CONCURRENCY: '1' });
  const { uuid, cursor } = await client.send('s1', 'Go.');
  await eventually(async () => (await client.status('s1'))?.state === 'running', {
    describe: () => client.status('s1'),
  });
  const operator = await openOperator(fleet.database);
  onTestFinished(() => operator.close());
  const second = await fleet.start('held.ts', { CONCURRENCY: '1' });
  await operator.move('s1');
  writeFileSync(join(fleet.folder, 'released'), '');
  const results: unknown[] = [];
  for await (const { message } of client.follow('s1', { from: cursor, until: uuid }))
    if (message.type === 'result') results.push(message.subtype);
  expect(results).toEqual(['success']);
  for (const each of [first, second]) each.signal('SIGTERM');
});

test('a cordoned worker takes no more runs, ends what it has, and closes; its log says so', async () => {
  const url = newDatabase();
  const runner = inProcessRunner();
  await prepareDatabase(url, { runner });
  const client = openedClient({ url });
  const lines: LogLine[] = [];
  const released = deferred<void>();
  const { callModel } = alwaysAnswering(() => reply([pause(released.promise), say('Done.')]));
  const running = await worker({
    db: url,
    runner,
    host: 'one',
    options: { settingSources: [], cwd: '/tmp', engine: { callModel } },
    log: (line) => lines.push(line),
  });
  const { uuid, cursor } = await client.send('s1', 'Go.', { tenant: 'acme' });
  await eventually(async () => (await client.status('s1'))?.state === 'running', {
    describe: () => client.status('s1'),
  });
  const call = (which: string) => commandLine(['durable', 'cordon', which, '--db', url]);
  expect(await call('elsewhere')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No worker has this id, and none is on this host: elsewhere.'),
  });
  expect(await call('one')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1 worker takes no more/),
  });
  await eventually(() => lines.some(({ message }) => message.includes('told to drain')));
  await client.send('s2', 'Later.');
  released.resolve();
  const results: string[] = [];
  for await (const { message } of client.follow('s1', { from: cursor, until: uuid }))
    if (message.type === 'result') results.push(message.subtype);
  await running.closed;
  expect(results).toEqual(['success']);
  expect((await client.status('s2'))?.state).toBe('queued');
  const about = { worker: running.id, session: 's1', run: 1, tenant: 'acme' };
  expect(lines).toMatchObject([
    { level: 'info', message: expect.stringMatching(/^The run began, /), ...about },
    { level: 'warning', message: expect.stringContaining('told to drain'), worker: running.id },
    { level: 'info', message: 'The run ended.', ...about, epoch: expect.any(Number) },
  ]);
  expect(lines.every(({ time }) => !Number.isNaN(Date.parse(time)))).toBe(true);
});

test.each([
  ['works', 30_000],
  ['parks', 50],
])(
  'a session that %s while it asks, and is cancelled, waits for no answer any more',
  async (_, parkAfterMs) => {
    const url = newDatabase();
    const runner = inProcessRunner();
    await prepareDatabase(url);
    const client = openedClient({ url });
    const { callModel } = alwaysAnswering(callTool('Bash', { command: 'make' }));
    const running = await worker({
      db: url,
      runner,
      options: { settingSources: [], cwd: '/tmp', parkAfterMs, engine: { callModel } },
    });
    onTestFinished(() => running.drain());
    await client.send('s1', 'Go.');
    await eventually(async () => {
      const { state, questions = [] } = (await client.status('s1')) ?? {};
      return questions.length === 1 && (parkAfterMs > 50 || state === 'parked');
    });
    const call = (...words: string[]) => commandLine(['durable', ...words, '--db', url]);
    expect((await call('show', 's1')).stdout).toMatch(
      /It waits for an answer: npx turnwright answer s1 \S+ allow/,
    );
    expect((await call('status')).stdout).toMatch(/^questions +1 waits for an answer: .*\n +s1 +\S+ +Bash$/m);
    expect(await call('cancel', 's1')).toMatchObject({ code: 0 });
    await eventually(async () => (await client.status('s1'))?.state === 'idle', {
      limitMs: 20_000,
      describe: () => client.status('s1'),
    });
    expect((await client.status('s1'))?.questions).toEqual([]);
    expect((await call('status')).stdout).toContain('none is open');
  },
);

test('worker --log json writes one object for each line, the first one too', async () => {
  const { url } = await database();
  const module = join(mkdtempSync(join(tmpdir(), 'worker-')), 'agent.mjs');
  writeFileSync(module, 'export default { options: { settingSources: [] } };');
  const { code, stderr } = await turnwright(['worker', module, '--log', 'json', '--no-health', '--db', url], {
    onStart(child) {
      child.stderr?.once('data', () => child.kill('SIGTERM'));
    },
  });
  const lines = stderr.trimEnd().split('\n');
  expect({ code, first: JSON.parse(lines[0] ?? '') }).toMatchObject({
    code: 0,
    first: {
      level: 'info',
      message: expect.stringMatching(/^Worker .+ takes sessions\.$/),
      worker: expect.any(String),
    },
  });
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ time: expect.any(String) });
});
