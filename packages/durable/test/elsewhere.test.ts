/** What a session that goes on with another worker finds there. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  eventually,
  type Fleet,
  startFleet,
  type WorkerProcess,
} from '@turnwright/test/durable/processes.ts';
import { everyNth, isLong } from '@turnwright/test/long-form.ts';
import { expect, onTestFinished, test } from 'vitest';
import { type DurableClient, durableClient } from '../src/index.ts';

const TOOLBOX = fileURLToPath(new URL('../../../test/mcp/servers/toolbox.mjs', import.meta.url));
const NEVER_MS = 600_000;

interface Place {
  readonly fleet: Fleet;
  readonly client: DurableClient;
  /** A folder that every worker can reach. */
  readonly folder: string;
  start(scenario: object): Promise<WorkerProcess>;
  /** Waits for the result of the last prompt; returns what it says. */
  result(sent: { readonly uuid: string; readonly cursor: string }): Promise<string>;
  /** Waits until the session is parked on a question; returns the id of the question, and the question. */
  question(): Promise<{ readonly askId: string; readonly question: object }>;
}

const SESSION = 'session-1';
const prompt = (...calls: readonly { readonly name: string; readonly input: object }[]) =>
  JSON.stringify(calls);
const bash = (command: string) => ({ name: 'Bash', input: { command } });

async function opened(): Promise<Place> {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  return {
    fleet,
    client,
    folder: mkdtempSync(join(fleet.folder, 'shared-')),
    start: (scenario) => fleet.start('calls.ts', { SCENARIO: JSON.stringify(scenario) }),
    async result({ uuid, cursor }) {
      for await (const { message } of client.follow(SESSION, { from: cursor, until: uuid }))
        if (message.type === 'result')
          return message.subtype === 'success' ? message.result : message.subtype;
      throw new Error('There is no result.');
    },
    async question() {
      await eventually(async () => (await client.status(SESSION))?.state === 'parked', {
        describe: () => client.status(SESSION),
      });
      const [question] = (await client.status(SESSION))?.questions ?? [];
      return { askId: question?.askId ?? '', question: question?.question ?? {} };
    },
  };
}

/** The session has made its first call, and waits for its model: its worker dies. */
async function dieBeforeSecondCall({ fleet }: Place, worker: WorkerProcess): Promise<void> {
  await eventually(() => fleet.ledger().some(({ what, details }) => what === 'asked' && details[0] === '1'), {
    describe: () => [fleet.ledger(), worker.stderr()],
  });
  worker.signal('SIGKILL');
  await worker.exited;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('an MCP server that the worker started is started again by the next worker', {
  timeout: 300_000,
}, async () => {
  const place = await opened();
  const log = join(place.folder, 'log');
  const box = { type: 'stdio', command: process.execPath, args: [TOOLBOX], env: { LOG: log } };
  const options = { mcpServers: { box }, allowedTools: ['mcp__box__echo'] };
  const echo = (text: string) => ({ name: 'mcp__box__echo', input: { text } });
  const servers = () =>
    existsSync(log)
      ? [...readFileSync(log, 'utf8').matchAll(/^start (\d+)$/gm)].map(([, pid]) => Number(pid))
      : [];
  const first = await place.start({ options, waitMs: NEVER_MS });
  const sent = await place.client.send(SESSION, prompt(echo('said here'), echo('said there')));
  await dieBeforeSecondCall(place, first);
  const [former = 0] = servers();
  await place.start({ options });
  const said = await place.result(sent);
  expect(said).toContain('said here');
  expect(said).toContain('said there');
  expect(servers()).toHaveLength(2);
  expect(servers()[1]).not.toBe(former);
  // The server of the worker that died ends with the pipe to it.
  await eventually(() => !isAlive(former));
});

test.each(everyNth(2, ['made', 'shared']))(
  'files of a session are there for the next worker: workspace %s',
  {
    timeout: 300_000,
  },
  async (kind) => {
    const place = await opened();
    const scenario = { workspace: { [kind]: place.folder }, options: { allowedTools: ['Bash'] } };
    const first = await place.start({ ...scenario, waitMs: NEVER_MS });
    const sent = await place.client.send(
      SESSION,
      prompt(bash('echo written > note.txt'), bash('pwd; cat note.txt')),
    );
    await dieBeforeSecondCall(place, first);
    await place.start(scenario);
    const folder = join(place.folder, kind === 'shared' ? SESSION : `of-${SESSION}`);
    expect(await place.result(sent)).toContain(`${folder}\\nwritten`);
    expect(readFileSync(join(folder, 'note.txt'), 'utf8')).toBe('written\n');
    // The function is asked for each run.
    const made = place.fleet.ledger().filter(({ what }) => what === 'made');
    expect(made.map(({ details }) => details[0])).toEqual(kind === 'made' ? [folder, folder] : []);
  },
);

const FORM = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
const asking = prompt({ name: 'mcp__box__ask', input: { params: FORM } });
const askingOptions = (env: Readonly<Record<string, string>>) => ({
  mcpServers: { box: { type: 'stdio', command: process.execPath, args: [TOOLBOX], env } },
  allowedTools: ['mcp__box__ask'],
  parkAfterMs: 200,
});

test('a form of an MCP server waits in the database for its answer, also while all workers are replaced', {
  timeout: 300_000,
}, async () => {
  const place = await opened();
  // The call may run again, so the session parks on the question.
  const options = askingOptions({ CHANGED: '{"ask":{"annotations":{"idempotentHint":true}}}' });
  const first = await place.start({ options });
  const sent = await place.client.send(SESSION, asking);
  const { askId, question } = await place.question();
  expect(question).toMatchObject({ elicitation: { serverName: 'box', message: 'Who are you?' } });
  first.signal('SIGKILL');
  await first.exited;
  await place.start({ options });
  await place.client.answer(SESSION, askId, { behavior: 'allow', updatedInput: { name: 'Ada' } });
  const said = await place.result(sent);
  expect(said).toContain('accept');
  expect(said).toContain('Ada');
  // Asked once.
  expect(await place.fleet.database.run('select 1 from turnwright.asks')).toHaveLength(1);
});

test.runIf(isLong)(
  'a form of a call that may not run again is answered while the session runs',
  {
    timeout: 300_000,
  },
  async () => {
    const place = await opened();
    await place.start({ options: askingOptions({}) });
    const sent = await place.client.send(SESSION, asking);
    await eventually(async () => (await place.client.status(SESSION))?.questions.length === 1);
    const { state, questions = [] } = (await place.client.status(SESSION)) ?? {};
    expect(state).toBe('running');
    await place.client.answer(SESSION, questions[0]?.askId ?? '', { behavior: 'deny', message: 'No.' });
    expect(await place.result(sent)).toContain('decline');
  },
);

test('what an answer allows for the session holds in its next run, on another worker', {
  timeout: 300_000,
}, async () => {
  const place = await opened();
  const scenario = { workspace: { shared: place.folder }, options: { allowedTools: [], parkAfterMs: 200 } };
  const first = await place.start(scenario);
  const one = await place.client.send(SESSION, prompt(bash('touch one.txt')));
  const { askId } = await place.question();
  await place.client.answer(SESSION, askId, {
    behavior: 'allow',
    updatedPermissions: [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'touch *' }],
        behavior: 'allow',
        destination: 'session',
      },
    ],
  });
  await place.result(one);
  first.signal('SIGKILL');
  await first.exited;
  await place.start(scenario);
  const two = await place.client.send(SESSION, prompt(bash('touch two.txt')));
  await place.result(two);
  expect(existsSync(join(place.folder, SESSION, 'two.txt'))).toBe(true);
  // What it does not allow is asked.
  await place.client.send(SESSION, prompt(bash('mkdir three')));
  expect((await place.question()).question).toMatchObject({ input: { command: 'mkdir three' } });
  expect(await place.fleet.database.run('select 1 from turnwright.asks')).toHaveLength(2);
});

test.each(
  everyNth<object>(3, [
    { permissionMode: 'default' },
    { permissionMode: 'acceptEdits' },
    { permissionMode: 'dontAsk' },
    { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    { allowedTools: ['Bash'] },
  ]),
)(
  'what was approved with another input runs with that input, on a worker with %j',
  {
    timeout: 300_000,
  },
  async (later) => {
    const place = await opened();
    const workspace = { shared: place.folder };
    const first = await place.start({ workspace, options: { allowedTools: [], parkAfterMs: 200 } });
    const sent = await place.client.send(SESSION, prompt(bash('touch asked.txt')));
    const { askId } = await place.question();
    first.signal('SIGKILL');
    await first.exited;
    await place.client.answer(SESSION, askId, {
      behavior: 'allow',
      updatedInput: { command: 'touch approved.txt' },
    });
    await place.start({ workspace, options: { allowedTools: [], ...later } });
    await place.result(sent);
    const made = ['asked.txt', 'approved.txt'].map((name) => existsSync(join(place.folder, SESSION, name)));
    expect(made).toEqual([false, true]);
  },
);

test('what a person denied does not run on a worker that would have allowed it', {
  timeout: 300_000,
}, async () => {
  const place = await opened();
  const workspace = { shared: place.folder };
  const first = await place.start({ workspace, options: { allowedTools: [], parkAfterMs: 200 } });
  const sent = await place.client.send(SESSION, prompt(bash('touch asked.txt')));
  const { askId } = await place.question();
  first.signal('SIGKILL');
  await first.exited;
  await place.client.answer(SESSION, askId, { behavior: 'deny', message: 'Not that.' });
  await place.start({ workspace, options: { allowedTools: ['Bash'] } });
  expect(await place.result(sent)).toContain('Not that.');
  expect(existsSync(join(place.folder, SESSION, 'asked.txt'))).toBe(false);
});
