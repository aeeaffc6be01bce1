/** What goes wrong at the first attempt is one sentence that says what to do. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newDatabase, startCluster } from '@turnwright/test/durable/cluster.ts';
import { openedEmpty, openedListener } from '@turnwright/test/durable/opened.ts';
import { eventually } from '@turnwright/test/durable/processes.ts';
import { OTHER_PACKAGES } from '@turnwright/test/other-packages.ts';
import { buildSync } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { checkTables, openDatabase, worker } from '../src/index.ts';
import { createInbox } from '../src/postgres/inbox-rows.ts';

const PASSWORD = 'hunter2';

async function attempt(url: string): Promise<{ readonly code: unknown; readonly message: string }> {
  const database = await openedEmpty(url);
  return checkTables(database.run).then(
    () => ({ code: undefined, message: '' }),
    (error: Error & { readonly code?: unknown }) => ({ code: error.code, message: error.message }),
  );
}

test('a text that is not the URL of a Postgres database', async () => {
  for (const url of ['', 'turnwright', 'mysql://localhost/turnwright', `http://${PASSWORD}@host`]) {
    const failure = await openDatabase({ url }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'invalid_option' });
    expect((failure as Error).message).toContain('postgresql://user@host/name');
    expect((failure as Error).message).not.toContain(PASSWORD);
  }
});

test('a server that is not there', async () => {
  const bySocket = await attempt('postgresql://turnwright@localhost/turnwright?host=/nowhere');
  expect(bySocket).toEqual({
    code: 'storage_error',
    message: expect.stringMatching(
      /^Postgres does not answer at \/nowhere\/\.s\.PGSQL\.5432: start it, or check/,
    ),
  });
  const byNetwork = await attempt(`postgresql://turnwright:${PASSWORD}@127.0.0.1:1/turnwright`);
  expect(byNetwork.message).toMatch(/^Postgres does not answer at 127\.0\.0\.1:1: start it, or check/);
  expect(byNetwork.message).not.toContain(PASSWORD);
  const byName = await attempt('postgresql://turnwright@no-such-host.invalid/turnwright');
  expect(byName.message).toContain('no-such-host.invalid');
});

test('a server that goes away later', async () => {
  const cluster = startCluster();
  onTestFinished(cluster.stop);
  const database = await openedEmpty(newDatabase(cluster.socketFolder));
  await database.run('select 1');
  cluster.crash();
  await expect(database.run('select 1')).rejects.toThrow(/does not answer at .*: start it/);
});

test('a database, a user or tables that are not there', async () => {
  const url = newDatabase();
  const without = await attempt(url.replace(/\/t[0-9a-f]+\?/, '/no-such-database?'));
  expect(without.message).toMatch(/has no database "no-such-database": createdb no-such-database$/);
  const stranger = await attempt(url.replace('turnwright@', 'stranger@'));
  expect(stranger.message).toContain('refuses the user "stranger"');
  const empty = await attempt(url);
  expect(empty).toEqual({
    code: 'storage_error',
    message: 'This database has no tables of Turnwright yet: npx turnwright durable migrate',
  });
  // The same without a check before.
  const database = await openedEmpty(url);
  const listener = openedListener(database);
  await expect(createInbox(database, listener).after('s', 0)).rejects.toThrow(
    'has no tables of Turnwright yet: npx turnwright durable migrate',
  );
});

test('a worker that cannot start leaves no connection behind', async () => {
  const database = await openedEmpty();
  await expect(worker({ db: database.url })).rejects.toThrow(
    'has no tables of Turnwright yet: npx turnwright durable migrate',
  );
  const others = () =>
    database.run(
      'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  // A pool that is left open keeps its connection for 10 s.
  await eventually(async () => (await others()).length === 0, { limitMs: 5_000 });
});

test('a package that is not installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'no-peer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'program.mjs');
  buildSync({
    stdin: {
      contents: `import { openDatabase } from './packages/durable/src/postgres/database.ts';
        await openDatabase({ url: 'postgresql://localhost/x' }).catch(({ code, message }) => console.log(code, message));`,
      resolveDir: fileURLToPath(new URL('../../..', import.meta.url)),
    },
    ...{
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: OTHER_PACKAGES,
      logLevel: 'error',
    },
  });
  // Far from any node_modules.
  const { stdout } = spawnSync(process.execPath, [outfile], { cwd: folder, encoding: 'utf8' });
  expect(stdout.trim()).toBe(
    'not_installed Sessions in Postgres need the package pg, which is not installed: npm install pg @dbos-inc/dbos-sdk',
  );
});
