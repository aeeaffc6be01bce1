/** The drills of docs/deploy.md: their blocks are run as they stand, and what is lost is what the page says. */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Cluster,
  movableAddress,
  newDatabase,
  ownerOf,
  programFolder,
  startCluster,
} from '@turnwright/test/durable/cluster.ts';
import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually } from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { callTool, deferred, fakeTool, say } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  type DurableClient,
  inProcessRunner,
  openDatabase,
  prepareDatabase,
  type Worker,
  worker,
} from '../src/index.ts';
import { alwaysAnswering, callsIn } from './programs/scripted.ts';

const page = readFileSync(fileURLToPath(new URL('../../../docs/deploy.md', import.meta.url)), 'utf8');
const blocks = new Map(
  [...page.matchAll(/<!-- drill: (.*) -->\n +```sh\n([\s\S]*?)^ +```$/gm)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);

interface Place {
  readonly cluster: Cluster;
  folder(name: string): string;
  /** Runs a block of the page as the user of Postgres. Returns what it says. */
  run(block: string, env: Readonly<Record<string, string>>): string;
}

function place(): Place {
  const cluster = startCluster();
  const root = mkdtempSync(join(tmpdir(), 'drill-'));
  const owner = process.getuid?.() === 0 ? ownerOf('postgres') : undefined;
  if (owner !== undefined) chownSync(root, owner.uid, owner.gid);
  // In the file of the server, as usual: its copies have them too.
  for (const setting of [
    "listen_addresses = ''",
    `unix_socket_directories = '${cluster.socketFolder}'`,
    'max_connections = 200',
  ])
    cluster.program('psql', [
      ...['-h', cluster.socketFolder, '-U', 'turnwright', '-d', 'postgres'],
      ...['-c', `alter system set ${setting}`],
    ]);
  const started: string[] = [];
  onTestFinished(() => {
    for (const data of started)
      spawnSync(join(programFolder(), 'pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], owner);
    cluster.stop();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    cluster,
    folder(name) {
      const made = join(root, name);
      mkdirSync(made, { mode: 0o700 });
      if (owner !== undefined) chownSync(made, owner.uid, owner.gid);
      return made;
    },
    run(block, env) {
      const script = blocks.get(block);
      if (script === undefined) throw new Error(`The page has no drill "${block}".`);
      for (const data of [env['BASE'], env['STANDBY']]) if (data !== undefined) started.push(data);
      const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euc', script], {
        cwd: root,
        encoding: 'utf8',
        env: {
          PATH: `${programFolder()}:${process.env['PATH']}`,
          LC_ALL: 'C.UTF-8',
          PGHOST: cluster.socketFolder,
          PGUSER: 'turnwright',
          PGDATA: cluster.dataFolder,
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...owner,
      });
      if (status !== 0) throw new Error(`${block}: ${stderr}`);
      return stdout;
    },
  };
}

interface Work {
  readonly client: DurableClient;
  readonly running: Worker;
}

/** Each prompt is one call of a tool that may not run twice, and an answer. `effect` is called for each. */
async function working(url: string, effect: (sessionId: string) => Promise<void>): Promise<Work> {
  const runner = inProcessRunner();
  await prepareDatabase(url, { runner });
  const { callModel } = alwaysAnswering((request) => {
    const { called, answered } = callsIn(request);
    const text = JSON.stringify(request.view.slice().at(-1));
    if (/unknown/i.test(text) && called.length > 0) return say('It may have run.');
    return text.includes('tool_result') || answered.length > called.length
      ? say('Done.')
      : callTool('Effect', { n: called.length }, { id: `${request.sessionId}.${called.length + 1}.unsafe` });
  });
  const tool = fakeTool({
    name: 'Effect',
    effectClass: 'unsafe',
    async answer(_, { sessionId }) {
      await effect(sessionId);
      return 'done';
    },
  });
  const options = { settingSources: [], allowedTools: ['Effect'], engine: { callModel, tools: [tool] } };
  const running = await worker({ db: url, runner, options });
  onTestFinished(() => running.drain(0));
  return { client: openedClient({ url }), running };
}

const idle = (client: DurableClient, id: string) =>
  eventually(async () => (await client.status(id).catch(() => undefined))?.state === 'idle', {
    describe: () => client.sessions(),
  });

async function results(client: DurableClient, id: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { message } of client.follow(id, { untilIdle: true }))
    if (message.type === 'result' && message.subtype === 'success') texts.push(message.result);
  return texts;
}

test('a restore to a moment: what came after it is lost, and sessions go on', {
  timeout: 300_000,
}, async () => {
  const { cluster, folder, run } = place();
  const env = { WAL: folder('wal'), BASE: folder('base') };
  run('archive the log', env);
  const url = newDatabase(cluster.socketFolder);
  const effects: string[] = [];
  const effect = async (id: string) => void effects.push(id);
  const { client, running } = await working(url, effect);
  await client.send('before', 'One.');
  await idle(client, 'before');
  run('base backup', env);
  await client.send('between', 'Two.');
  await idle(client, 'between');
  const database = await openDatabase({ url });
  const [{ moment } = { moment: '' }] = await database.run<{ moment: string }>(
    'select clock_timestamp()::text as moment',
  );
  const heads = (await client.sessions()).map(({ sessionId, head }) => [sessionId, head]);
  await client.send('before', 'Three.');
  await idle(client, 'before');
  await client.send('after', 'Four.', { key: 'four' });
  await idle(client, 'after');
  expect(effects).toEqual(['before', 'between', 'before', 'after']);
  await running.drain(0);
  await client.close();
  await database.close();
  run('stop', env);
  run('restore', { ...env, MOMENT: moment });
  const log = readFileSync(join(env.BASE, 'log'), 'utf8');
  expect(log).toContain('recovery stopping before commit');

  const again = await working(url, effect);
  expect((await again.client.sessions()).map(({ sessionId, head }) => [sessionId, head])).toEqual(heads);
  expect(await again.client.status('after')).toBeUndefined();
  // Who sends with a key sends again, and the tool runs again: the journal does not know of it.
  expect(await again.client.send('after', 'Four.', { key: 'four' })).toMatchObject({ fresh: true });
  await again.client.send('before', 'Three.');
  await idle(again.client, 'after');
  await idle(again.client, 'before');
  expect(effects.slice(4).toSorted()).toEqual(['after', 'before']);
  expect(await results(again.client, 'before')).toHaveLength(2);
});

test.for(inForm(['asynchronous'] as const, ['asynchronous', 'synchronous'] as const))(
  'a fail-over, %s: the loss is what the page says, and the worker goes on',
  { timeout: 300_000 },
  async (kind) => {
    const { cluster, folder, run } = place();
    const address = movableAddress(cluster);
    onTestFinished(address.remove);
    const env = {
      STANDBY: folder('standby'),
      STANDBY_HOST: folder('socket'),
      ADDRESS: address.socketFolder,
    };
    // The link is moved by the user of Postgres.
    const owner = process.getuid?.() === 0 ? ownerOf('postgres') : undefined;
    if (owner !== undefined) chownSync(join(address.socketFolder, '..'), owner.uid, owner.gid);
    run('standby', env);
    if (kind === 'synchronous') run('synchronous', env);
    await eventually(() => run('look', env).startsWith(kind === 'synchronous' ? 'sync|' : 'async|'));
    const url = new URL(newDatabase(cluster.socketFolder));
    url.searchParams.set('host', address.socketFolder);
    const gate = deferred<void>();
    const effects: string[] = [];
    const { client } = await working(url.href, async (id) => {
      effects.push(id);
      if (id === 'open') await gate.promise;
    });
    await client.send('open', 'One.');
    await eventually(() => effects.length === 1);
    if (kind === 'asynchronous') {
      // What the standby has is of this moment: its connection is gone.
      await eventually(async () => {
        const at = (host: string, what: string) =>
          spawnSync(
            join(programFolder(), 'psql'),
            ['-h', host, '-U', 'turnwright', '-d', 'postgres', '-Atc', `select ${what}`],
            {
              encoding: 'utf8',
            },
          ).stdout;
        return (
          at(cluster.socketFolder, 'pg_current_wal_lsn()') ===
          at(env.STANDBY_HOST, 'pg_last_wal_replay_lsn()')
        );
      });
      const standby = await openStandby(env.STANDBY_HOST);
      standby(`alter system set primary_conninfo = ''`);
      standby('select pg_reload_conf()');
      await eventually(() => run('look', env) === '');
    }
    await client.send('late', 'Two.', { key: 'two' });
    await idle(client, 'late');
    gate.resolve();
    await idle(client, 'open');
    run('fail', env);
    expect(run('promote', env).trim()).toBe('t');
    await idle(client, 'open');
    const late = await client.status('late');
    if (kind === 'synchronous') {
      expect(late).toMatchObject({ state: 'idle' });
      expect(await results(client, 'open')).toEqual(['Done.']);
    } else {
      // Its end was lost: the tool is not repeated, and the model is told.
      expect(await results(client, 'open')).toEqual(['It may have run.']);
      expect(late).toBeUndefined();
      expect(await client.send('late', 'Two.', { key: 'two' })).toMatchObject({ fresh: true });
      await idle(client, 'late');
    }
    expect(effects.filter((id) => id === 'open')).toHaveLength(1);
  },
);

async function openStandby(host: string): Promise<(statement: string) => void> {
  return (statement) => {
    const ran = spawnSync(
      join(programFolder(), 'psql'),
      ['-h', host, '-U', 'turnwright', '-d', 'postgres', '-c', statement],
      { encoding: 'utf8' },
    );
    if (ran.status !== 0) throw new Error(ran.stderr);
  };
}
