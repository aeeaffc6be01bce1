/** The blocks of docs/deploy.md: units that systemd accepts, commands that parse, and a backup that restores. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { durableClient, openDatabase, prepareDatabase } from '@turnwright/durable';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseArgs } from '../../packages/cli/src/flags/args.ts';
import { newDatabase, programFolder } from './cluster.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );

/** What our command line makes of the words behind its name. */
const invoked = (line: string) => {
  const [, rest = ''] = line.split('turnwright ');
  return parseArgs(rest.split(' '), 'Turnwright');
};

describe('systemd', () => {
  const units = blocks('ini').map((unit) => ({ name: basename(unit.split('\n')[0] ?? ''), unit }));

  test('each unit is named by its first line', () => {
    expect(units.map(({ name }) => name)).toEqual([
      'turnwright-worker@.service',
      'turnwright-prune.service',
      'turnwright-prune.timer',
    ]);
  });

  test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd accepts the units', () => {
    const folder = mkdtempSync(join(tmpdir(), 'units-'));
    // It looks whether the program is there, and whether the folder and the user are.
    const bin = join(folder, 'turnwright');
    writeFileSync(bin, '#!/bin/sh\n', { mode: 0o755 });
    for (const { name, unit } of units)
      writeFileSync(join(folder, name), unit.replaceAll(/\/\S*bin\/turnwright/g, bin));
    const names = units.map(({ name }) => join(folder, name.replace('@.', '@64.')));
    writeFileSync(names[0] as string, readFileSync(join(folder, units[0]?.name ?? '')));
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...names], { encoding: 'utf8' });
    expect(stderr.split('\n').filter((line) => line.includes(folder) && !line.includes('Failed to'))).toEqual(
      [],
    );
  });

  test('the command of each unit is one of ours', () => {
    const commands = units.flatMap(({ unit }) =>
      [...unit.matchAll(/^ExecStart=(.*)$/gm)].map(([, line = '']) => line),
    );
    expect(commands.map((line) => invoked(line.replace('%i', '64')))).toMatchObject([
      { command: 'worker', module: './agent.js', flags: { health: 9464, drain: 60 } },
      { command: 'durable', action: 'prune', flags: { olderThan: 90 } },
      { command: 'durable', action: 'prune', flags: { inside: true, olderThan: 30 } },
    ]);
  });
});

describe('the container file', () => {
  const [file = ''] = blocks('dockerfile');

  test('starts a worker, with its health on all addresses of the container', () => {
    const words = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(file)?.[1] ?? '[]') as string[];
    expect(words[0]).toBe('node_modules/.bin/turnwright');
    expect(parseArgs(words.slice(1), 'Turnwright')).toMatchObject({
      command: 'worker',
      module: './agent.js',
      flags: { healthHost: '0.0.0.0' },
    });
  });

  test('its health check is a program that Node runs', () => {
    const script = /CMD node -e "(.*)"$/m.exec(file)?.[1] ?? '';
    // No worker listens here: the check says so by its exit code.
    const { status, stderr } = spawnSync(process.execPath, ['-e', script.replace('9464', '1')], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, '']);
  });
});

/** Runs the block of commands with this word in it. */
function shell(word: string, url: string, env: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-page-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec node ${join(ROOT, 'dist/bin/turnwright')} "$@"\n`, {
    mode: 0o755,
  });
  const script = blocks('sh').find((text) => text.includes(word)) ?? '';
  return execFileSync('bash', ['--norc', '-euc', script], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: `${bin}:${programFolder()}:${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: folder,
      PGHOST: new URL(url.replace('postgresql:', 'http:')).searchParams.get('host') ?? '',
      PGUSER: 'turnwright',
      TURNWRIGHT_DB: url,
      ...env,
    },
  });
}

test('a backup restores to a database in which the sessions are', async () => {
  const url = newDatabase();
  await prepareDatabase(url);
  const client = durableClient(url);
  await client.send('s1', 'Hello.');
  await client.close();
  const name = `restored_${process.pid}`;
  const restored = url.replace(/\/[^/?]+\?/, `/${name}?`);
  const said = shell('pg_dump', url, { RESTORED_NAME: name, RESTORED_DB: restored });
  expect(said).toMatch(/^ok +tables/m);
  const again = await openDatabase({ url: restored });
  onTestFinished(() => again.close());
  expect(await again.run('select session_id, state from turnwright.sessions')).toEqual([
    { session_id: 's1', state: 'queued' },
  ]);
});

test('an archive takes an old session, and gives it back', async () => {
  const database = await openDatabase({ url: newDatabase() });
  onTestFinished(() => database.close());
  await prepareDatabase(database.url);
  await database.run(
    `insert into turnwright.sessions (session_id, updated_at) values ('s1', now() - interval '200 days')`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = blocks('sh').find((text) => text.includes('durable archive')) ?? '';
  const program = `node ${join(ROOT, 'dist/bin/turnwright')}`;
  const said = execFileSync('bash', ['--norc', '-euc', script.replaceAll('npx turnwright', program)], {
    encoding: 'utf8',
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: folder,
      TURNWRIGHT_DB: database.url,
      ARCHIVE: folder,
      SESSION: 's1',
    },
  });
  expect(said).toBe('1 session was archived.\ns1 is back, as it was.\n');
});

test('limits are set as the page sets them', async () => {
  const url = newDatabase();
  await prepareDatabase(url);
  expect(shell('durable limits', url).split('\n').slice(-4, -1)).toEqual([
    expect.stringMatching(/^tenant +sessions +runs +held +dollars today/),
    expect.stringMatching(/^\* +1,000 +20 +- +50\.00 +- +-$/),
    expect.stringMatching(/^acme +0 of 1,000\* +0 of 20\* +0 +0\.00 of 50\.00\* +120 +400,000$/),
  ]);
  const program = blocks('ts').find((text) => text.includes('setLimit')) ?? '';
  const folder = mkdtempSync(join(ROOT, 'dist/limits-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'limits.mjs');
  writeFileSync(file, program.replace(/postgresql:[^']*/, url));
  execFileSync(process.execPath, [file]);
  const database = await openDatabase({ url });
  onTestFinished(() => database.close());
  const rows = await database.run('select * from turnwright.limits');
  expect(rows).toHaveLength(3);
});
