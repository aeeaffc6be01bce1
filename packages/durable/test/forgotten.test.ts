/** `idle` means that every prompt has its result: a session where one has none is found, counted, and worked on again. */

import type { Options } from '@turnwright/engine';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { forgotten } from '@turnwright/test/durable/judge.ts';
import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually } from '@turnwright/test/durable/processes.ts';
import { say } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Database,
  type DurableClient,
  inProcessRunner,
  openDatabase,
  prepareDatabase,
  type Worker,
  worker,
} from '../src/index.ts';
import { alwaysAnswering } from './programs/scripted.ts';

interface Place {
  readonly database: Database;
  readonly client: DurableClient;
  readonly stderr: readonly string[];
  start(options?: (sessionId: string) => Options): Promise<Worker>;
}

const { callModel } = alwaysAnswering(() => say('Done.'));

async function place(): Promise<Place> {
  const url = newDatabase();
  const runner = inProcessRunner();
  await prepareDatabase(url, { runner });
  const database = await openDatabase({ url });
  onTestFinished(() => database.close());
  const stderr: string[] = [];
  return {
    database,
    client: openedClient({ url }),
    stderr,
    async start(of = () => ({})) {
      const one = await worker({
        db: url,
        runner,
        stderr: (line) => stderr.push(line),
        options({ sessionId }) {
          const options = of(sessionId);
          return { settingSources: [], cwd: '/tmp', ...options, engine: { callModel, ...options.engine } };
        },
      });
      onTestFinished(() => one.drain(0));
      return one;
    },
  };
}

const becomes = (client: DurableClient, state: string, id = 's1') =>
  eventually(async () => (await client.status(id))?.state === state, { describe: () => client.sessions() });

const figure = async ({ health }: Worker) => {
  const found = (await health.figures()).find(({ name }) => name === 'turnwright_sessions_forgotten_total');
  return found?.type === 'counter' ? found.value : undefined;
};

interface Kind {
  readonly prompts: readonly string[];
  readonly options?: Options;
}

const KINDS: Readonly<Record<string, Kind>> = {
  words: { prompts: ['Go.'] },
  one_turn: { prompts: ['Go.', 'On.', 'And on.'] },
  command_without_model: { prompts: ['/context'] },
  command_and_words: { prompts: ['/context', 'Go.'] },
  unknown_command: { prompts: ['/no-such-command'] },
  summary: { prompts: ['Go.', '/compact'] },
  refused_by_hook: {
    prompts: ['Refused.', 'Go.'],
    options: {
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              async (input) =>
                'prompt' in input && input.prompt === 'Refused.' ? { decision: 'block', reason: 'No.' } : {},
            ],
          },
        ],
      },
    },
  },
  no_turns_left: { prompts: ['Go.', 'On.'], options: { maxTurns: 1 } },
  failing_model: {
    prompts: ['Go.'],
    options: {
      engine: {
        callModel() {
          throw new Error('No model.');
        },
      },
    },
  },
};

test('every prompt has its result when its session is idle, and none is begun again by a later run', async () => {
  const { client, database, start, stderr } = await place();
  const kinds = Object.entries(KINDS);
  for (const [id, { prompts }] of kinds) for (const prompt of prompts) await client.send(id, prompt);
  await start((id) => KINDS[id]?.options ?? {});
  for (const [id] of kinds) await becomes(client, 'idle', id);
  const rows = await database.run<{ session_id: string; asked: number; answered: number }>(
    'select session_id, asked, answered from turnwright.sessions',
  );
  for (const { session_id: id, asked, answered } of rows)
    expect([id, asked, answered]).toEqual([id, KINDS[id]?.prompts.length, KINDS[id]?.prompts.length]);
  expect(await forgotten(database)).toEqual([]);
  const before = await resultsIn(database);
  for (const [id] of kinds) await client.send(id, 'One more.');
  await eventually(async () => (await resultsIn(database)) >= before + kinds.length);
  for (const [id] of kinds) await becomes(client, 'idle', id);
  expect(await resultsIn(database)).toBe(before + kinds.length);
  expect(await forgotten(database)).toEqual([]);
  expect(stderr).toEqual([]);
});

async function resultsIn(database: Database): Promise<number> {
  const [row] = await database.run<{ n: number }>(
    `select count(*)::int as n from turnwright.journal where entry_id like '%/result'`,
  );
  return row?.n ?? 0;
}

test('a session that was left idle is queued again, counted and named, and its prompt gets its result', async () => {
  const { client, database, start, stderr } = await place();
  await client.send('s1', 'Go.');
  await database.run("update turnwright.sessions set state = 'idle'");
  expect(await forgotten(database)).toEqual(['s1']);
  const one = await start();
  await eventually(async () => (await resultsIn(database)) === 1);
  await becomes(client, 'idle');
  expect(await forgotten(database)).toEqual([]);
  expect(await figure(one)).toBe(1);
  expect(stderr).toEqual(['Session s1 was idle, and a prompt of it has no result: it is queued again.']);
});

test('one that was ended by a worker that takes no note is left alone when the result is there', async () => {
  const { client, database, start, stderr } = await place();
  const one = await start();
  await client.send('s1', 'Go.');
  await becomes(client, 'idle');
  await database.run('update turnwright.sessions set answered = 0');
  const noted = () => database.run('select 1 from turnwright.sessions where answered = 1');
  await eventually(async () => (await noted()).length === 1);
  expect((await client.status('s1'))?.state).toBe('idle');
  expect([await figure(one), stderr]).toEqual([0, []]);
});

test('one whose runs end without a result each time is set aside with a sentence, and answers the next prompt', async () => {
  const { client, database, start } = await place();
  const one = await start();
  const { uuid } = await client.send('s1', 'Go.', { key: 'first' });
  await becomes(client, 'idle');
  // Under the name of the first: no run is given it.
  const item = {
    key: uuid,
    uuid: '33333333-3333-4333-8333-333333333333',
    priority: 'next',
    content: 'Lost.',
  };
  await database.run("insert into turnwright.inbox (session_id, n, key, item) values ('s1', 2, $1, $2)", [
    uuid,
    JSON.stringify(item),
  ]);
  await database.run('update turnwright.sessions set asked = 2');
  await becomes(client, 'poisoned');
  expect((await client.status('s1'))?.outcome).toEqual({
    error:
      'Set aside after 5 runs in a row without any progress: each ended without a result for every prompt.',
  });
  expect(await figure(one)).toBeGreaterThan(1);
  await client.send('s1', 'On.');
  await becomes(client, 'idle');
});
