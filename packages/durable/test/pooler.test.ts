/** pgbouncer between Turnwright and Postgres: what works through it, and what says that it does not. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newDatabase, ownerOf, programFolder } from '@turnwright/test/durable/cluster.ts';
import { forgotten, judge, resultsOf } from '@turnwright/test/durable/judge.ts';
import { openedEmpty } from '@turnwright/test/durable/opened.ts';
import { eventually, startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient, prepareDatabase, worker } from '../src/index.ts';

const whyNot =
  spawnSync('pgbouncer', ['--version']).status === 0
    ? undefined
    : 'left out: pgbouncer is not installed (sudo apt-get install -y pgbouncer)';

const LETS_THROUGH = 'ignore_startup_parameters = idle_in_transaction_session_timeout';

/** The same database through a pooler, which ends with the test. */
async function pooled(url: string, mode: 'transaction' | 'session', ...settings: string[]): Promise<string> {
  const host = new URL(url).searchParams.get('host');
  const folder = mkdtempSync(join(tmpdir(), 'pb-'));
  const config = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${host} user=turnwright`,
    '[pgbouncer]',
    ...['listen_addr =', 'listen_port = 6432', `unix_socket_dir = ${folder}`, 'auth_type = any'],
    ...[`pool_mode = ${mode}`, 'max_client_conn = 200', ...settings],
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  // It refuses to run as root.
  const owner = process.getuid?.() === 0 ? ownerOf('postgres') : undefined;
  if (owner !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(folder, owner.uid, owner.gid);
  }
  const child = spawn('pgbouncer', ['-q', config], { stdio: 'ignore', ...owner });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  const through = new URL(url);
  through.searchParams.set('host', folder);
  through.searchParams.set('port', '6432');
  const isReady = () =>
    spawnSync(join(programFolder(), 'pg_isready'), ['-h', folder, '-p', '6432']).status === 0;
  await eventually(isReady);
  return through.href;
}

test.skipIf(whyNot !== undefined)(
  `through a pooler in transaction mode sessions run, when workers have the direct address too: ${whyNot ?? ''}`,
  async () => {
    const url = newDatabase();
    const through = await pooled(url, 'transaction', LETS_THROUGH, 'default_pool_size = 8');
    const refused = /is a pooler in transaction mode.*--direct, or TURNWRIGHT_DB_DIRECT/;
    await expect(prepareDatabase(through)).rejects.toThrow(refused);
    const fleet = await startFleet(url);
    await expect(worker({ db: through })).rejects.toThrow(refused);
    const start = () =>
      fleet.start('rounds.ts', {
        SCENARIO: JSON.stringify({ rounds: 3, modelMs: 300, toolMs: 50 }),
        DB: through,
        DIRECT: url,
      });
    const [first] = await Promise.all([start(), start()]);
    const client = durableClient(through);
    onTestFinished(() => client.close());
    const ids = Array.from({ length: 8 }, (_, at) => `session-${at}`);
    const { cursor, uuid } = await client.send('session-0', 'Go.');
    for (const id of ids.slice(1)) await client.send(id, 'Go.');
    await eventually(() => fleet.ledger().some(({ what }) => what === 'effect'));
    first?.signal('SIGKILL');
    // A client without the direct address looks each second.
    const types: string[] = [];
    for await (const { message } of client.follow('session-0', { from: cursor, until: uuid }))
      types.push(message.type);
    expect(types.at(-1)).toBe('result');
    for (const id of ids)
      await eventually(async () => (await client.status(id))?.state === 'idle', {
        describe: () => client.status(id),
      });
    const { rerun, doubled, lost } = judge(fleet.ledger());
    expect({ rerun, doubled, lost }).toEqual({ rerun: [], doubled: [], lost: [] });
    expect([...(await resultsOf(fleet)).values()]).toEqual(ids.map(() => 1));
    expect(await forgotten(fleet.database)).toEqual([]);
  },
);

test.skipIf(whyNot !== undefined)(
  `a pooler in session mode is as good as none, and one that refuses our setting is named: ${whyNot ?? ''}`,
  async () => {
    const url = newDatabase();
    const through = await pooled(url, 'session', LETS_THROUGH);
    await prepareDatabase(through);
    const database = await openedEmpty(through);
    await (await database.connect()).close();
    const strict = await openedEmpty(await pooled(url, 'session'));
    await expect(strict.run('select 1')).rejects.toThrow(LETS_THROUGH);
  },
);
