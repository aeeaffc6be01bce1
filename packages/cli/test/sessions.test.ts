import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { startHost } from '@turnwright/test/cli/control-host.ts';
import { type RehearsalServer, reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, test } from 'vitest';

let server: RehearsalServer;
let cwd: string;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  server = await startRehearsal({
    scenario: { name: 'sessions', replies: [reply('Done.', { times: 'any' })] },
  });
  cwd = temporaryFolder();
  env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
});
afterEach(() => server.close());

const run = (...words: string[]) => commandLine(words, { env, cwd });
const idOf = (text: string) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';

test('sessions: list, show, rename, tag, fork, delete', async () => {
  expect((await run('sessions')).stdout).toContain('No sessions of this folder');
  await run('-p', 'Remember the larch.', '--name', 'Trees');
  const id = idOf((await run('sessions')).stdout);
  expect((await run('sessions', 'show', id)).stdout).toContain('Remember the larch.');
  await run('sessions', 'rename', id, 'Old', 'trees');
  await run('sessions', 'tag', id, 'wood');
  const fork = await run('sessions', 'fork', id, '--title', 'Young trees');
  expect((await run('sessions', 'list')).stdout).toMatch(/Old trees {2}#wood/);
  expect((await run('sessions', 'delete', id)).code).toBe(0);
  const left = await turnwright(['sessions', 'list', '--json'], { env, cwd });
  expect(JSON.parse(left.stdout)).toMatchObject([
    { sessionId: idOf(fork.stdout), customTitle: 'Young trees' },
  ]);
});

test('dates and times are those of the user’s time zone: in the prompt and in lists', async () => {
  const TZ = 'Pacific/Kiritimati';
  const here = { env: { ...env, TZ }, cwd };
  const before = Date.now();
  await turnwright(['-p', 'Remember the larch.'], here);
  const dates = [before, Date.now()].map((ms) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: TZ, dateStyle: 'short' }).format(ms),
  );
  const told = /Today is (\d{4}-\d\d-\d\d)\./.exec(JSON.stringify(server.requests[0]?.body))?.[1];
  expect(dates).toContain(told);
  const [, day = '', hour = ''] =
    /(\d{4}-\d\d-\d\d) (\d\d):\d\d/.exec((await turnwright(['sessions'], here)).stdout) ?? [];
  expect(dates).toContain(day);
  const elsewhere = (await turnwright(['sessions'], { env: { ...env, TZ: 'UTC' }, cwd })).stdout;
  // Fourteen hours from UTC.
  expect(Number(/ (\d\d):\d\d/.exec(elsewhere)?.[1])).toBe((Number(hour) + 10) % 24);
});

test('sessions erase: what a message says, or a text that is read from stdin', async () => {
  await run('-p', 'Use the key abc-123-def.');
  const id = idOf((await run('sessions')).stdout);
  const message = /^user (\S+)$/m.exec((await run('sessions', 'show', id)).stdout)?.[1] ?? '';
  const erased = await commandLine(['sessions', 'erase', id, '--text', '-'], {
    env,
    cwd,
    input: 'abc-123-def\n',
  });
  expect(erased).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Erased from \d records of /) });
  expect((await run('sessions', 'show', id)).stdout).toContain('Use the key [erased].');
  expect((await run('sessions', 'erase', id, '--message', message)).code).toBe(0);
  expect((await run('sessions', 'show', id)).stdout).not.toContain('Use the key');
  expect(await run('sessions', 'erase', id, '--text', 'never said')).toMatchObject({
    code: 2,
    stderr: `turnwright: Nothing that ${id} keeps holds this text.\n`,
  });
  expect((await run('sessions', 'erase', id)).stderr).toContain('Name a message or a text');
});

test('a damaged line of the only prompt does not make the session unresumable', async () => {
  await run('-p', 'Remember the larch.');
  const id = idOf((await run('sessions')).stdout);
  const projects = join(env['TURNWRIGHT_HOME'] ?? '', 'projects');
  const name = readdirSync(projects, { recursive: true })
    .map(String)
    .find((each) => each.endsWith(`${id}.jsonl`));
  const file = join(projects, name ?? '');
  const lines = readFileSync(file, 'utf8').split('\n');
  const damaged = lines.map((line) => (line.includes('Remember the larch.') ? line.slice(0, 60) : line));
  expect(damaged).not.toEqual(lines);
  writeFileSync(file, damaged.join('\n'));
  expect((await run('sessions')).stdout).toContain('(its first prompt cannot be read)');
  for (const flags of [[`--resume=${id}`], ['--continue']]) {
    const ran = await run('-p', ...flags, 'Go on.', '--output-format=json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('has a flaw that was passed over');
    expect(JSON.parse(ran.stdout)).toMatchObject({ session_id: id, result: 'Done.' });
  }
});

test('what cannot be done is said in a sentence, exit 2', async () => {
  for (const words of [
    ['shred'],
    ['show'],
    ['show', 'nobody'],
    ['rename', 'nobody', 'x'],
    ['rename', 'x'],
    ['delete', 'nobody'],
  ]) {
    const ran = await run('sessions', ...words);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^turnwright: (?:There is no|Usage:|Give a title)/);
  }
});

test('a host names the session; another session than this is refused', async () => {
  const options = { cwd, env };
  const host = startHost(server, { options });
  host.prompt('Go.');
  const result = await host.until((line) => line.type === 'result');
  const session_id = result['session_id'];
  expect(await host.ask('rename_session', { title: 'By the host', session_id })).toMatchObject({
    subtype: 'success',
  });
  expect(await host.ask('rename_session', { title: 'x', session_id: 'another' })).toMatchObject({
    subtype: 'error',
  });
  expect(await host.ask('generate_session_title', { description: 'Fix the  build' })).toMatchObject({
    response: { title: 'Fix the build' },
  });
  host.end();
  await host.ended;
  expect((await run('sessions')).stdout).toContain('By the host');
});
