/** `turnwright login` and `logout`: what is asked, checked, stored and said, and that a key stays where it is. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BIN, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSecretLine } from '../src/run/ask-secret.ts';

const KEY = 'sk-ant-api03-canary-of-the-login';
const UNREACHED = 'http://127.0.0.1:9';
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** An API that lets this key in, and no other. */
async function api(key: string): Promise<string> {
  const server = createServer(({ headers }, response) => {
    const isIn = headers['x-api-key'] === key || headers.authorization === `Bearer ${key}`;
    response.writeHead(isIn ? 200 : 401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        isIn
          ? { type: 'model', id: 'claude-opus-5-5', display_name: 'Opus' }
          : { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
      ),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function user() {
  const home = temporaryFolder();
  const env = { HOME: home, TURNWRIGHT_HOME: join(home, 'config') };
  const run = (args: readonly string[], more: { input?: string; env?: Record<string, string> } = {}) =>
    commandLine(args, { ...more, env: { ...env, ...more.env }, cwd: home });
  return { env, run, file: join(home, 'config', 'logins.json') };
}

describe('a key that is piped in', () => {
  test('is checked, stored for its address and used; logout removes it', async () => {
    const address = await api(KEY);
    const { run, env: home, file } = user();
    const env = { ANTHROPIC_BASE_URL: address };
    const started = { env: { ...home, ...env }, cwd: home.HOME };
    const login = await turnwright(['login'], { ...started, input: `${KEY}\n` });
    expect(login).toMatchObject({
      code: 0,
      stdout: `${address} accepts it. It is stored in ${file}, for this address alone.\n`,
      stderr: '',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(['auth', 'status'], { env })).stdout).toBe('Credentials from turnwright login.\n');
    expect(JSON.parse((await run(['auth', 'status', '--json'], { env })).stdout)).toMatchObject({
      loggedIn: true,
      authMethod: 'login',
      apiKeySource: 'login',
    });
    expect((await run(['doctor'], { env })).stdout).toMatch(
      /credentials +from turnwright login\n.* lets us in/,
    );
    expect((await run(['auth', 'status'])).stdout).toMatch(/^No credentials: /);
    expect(await turnwright(['logout'], started)).toMatchObject({
      code: 0,
      stdout: `Removed what was stored for ${address}.\n`,
    });
    expect((await run(['logout'], { env })).stdout).toBe(`Nothing is stored for ${address}.\n`);
  });

  test('is not stored when the API refuses it', async () => {
    const address = await api('another one');
    const { run } = user();
    const login = await run(['login', address], { input: KEY });
    expect(login).toMatchObject({
      code: 1,
      stdout: `${address} refuses it (401): The API refused the credentials: invalid x-api-key. Check the API key or token. Nothing is stored.\n`,
    });
    expect((await run(['logout', '--all'])).stdout).toBe('Nothing is stored.\n');
  });

  test('is stored unchecked without a network, which is said, and with --no-check', async () => {
    const { run } = user();
    const unreached = await run(['login', UNREACHED], { input: KEY });
    expect(unreached.code).toBe(0);
    expect(unreached.stdout).toMatch(
      /^It could not be checked: http:\/\/127\.0\.0\.1:9 cannot be reached: .* It is stored in /,
    );
    const unasked = await run(['login', UNREACHED, '--no-check'], { input: KEY });
    expect(unasked.stdout).toMatch(/^It was not checked\. It is stored in /);
  });

  test('can be a token; what takes precedence is said', async () => {
    const address = await api(KEY);
    const { run, file } = user();
    const env = { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: 'given' };
    const { stdout } = await run(['login', '--token'], { input: KEY, env });
    expect(stdout).toContain(' ANTHROPIC_API_KEY is set too, and is used before it.');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      version: 1,
      logins: { [address]: { authToken: KEY } },
    });
    expect((await run(['logout'], { env })).stdout).toContain(
      'Credentials from ANTHROPIC_API_KEY are still used.',
    );
  });

  test.each([
    ['nothing', [], '', 'Nothing was given, so nothing is stored.'],
    [
      'two words',
      [],
      'a key',
      'A key is one word of printable ASCII characters, and this is not. Nothing is stored.',
    ],
    [
      'an address of another kind',
      ['ftp://x'],
      KEY,
      'The address must be an absolute http or https URL, not "ftp://x".',
    ],
  ])('is refused when it is %s', async (_, args, input, problem) => {
    const { code, stderr } = await user().run(['login', ...args], { input });
    expect([code, stderr]).toEqual([2, `turnwright: ${problem}\n`]);
  });
});

test('a helper is set in the user’s settings, and no key is asked for', async () => {
  const { run, env } = user();
  const { code, stdout } = await run(['login', '--helper', 'echo key'], { env: {} });
  const settings = join(env.TURNWRIGHT_HOME, 'settings.json');
  expect([code, stdout]).toEqual([
    0,
    `apiKeyHelper is set in ${settings}. turnwright doctor runs it and says whether its key is accepted.\n`,
  ]);
  expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ apiKeyHelper: 'echo key' });
});

test('a stored key reaches the model, and no child, journal, log or output', async () => {
  const { run, env } = user();
  const look = 'env; for p in /proc/[0-9]*; do cat $p/environ $p/cmdline; done 2>/dev/null; true';
  const server = await rehearse(reply(toolUse('Bash', { command: look })), reply('Done.'));
  const here = { ANTHROPIC_BASE_URL: server.url };
  await run(['login', '--no-check'], { input: KEY, env: here });
  const debug = join(env.HOME, 'debug.log');
  const ran = await run(
    ['-p', 'go', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--debug-file', debug],
    { env: here },
  );
  expect(ran.code).toBe(0);
  expect(server.requests.map(({ headers }) => headers['x-api-key'])).toContain(KEY);
  expect(ran.stdout + ran.stderr).not.toContain(KEY);
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(KEY);
  const holding = spawnSync('grep', ['-rl', KEY, env.HOME], { encoding: 'utf8' }).stdout.trim().split('\n');
  expect(holding).toEqual([join(env.TURNWRIGHT_HOME, 'logins.json')]);
});

/** Types `keys` once the question is there; what was on the terminal. */
async function typed(keys: readonly string[], args: readonly string[], env: Record<string, string>) {
  mkdirSync(env['HOME'] as string, { recursive: true });
  const child = spawn(
    'script',
    ['-qec', `exec '${process.execPath}' '${BIN}' ${args.join(' ')}`, '/dev/null'],
    {
      cwd: env['HOME'],
      env: { ...bareEnv(env), TERM: 'xterm', SHELL: '/bin/sh' },
    },
  );
  let seen = '';
  let sent = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
    if (sent || !seen.includes('Esc leaves): ')) return;
    sent = true;
    for (const key of keys) child.stdin.write(key);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, seen };
}

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('the key is asked for and not shown', async () => {
    const { env, file } = user();
    const address = await api(KEY);
    const { code, seen } = await typed(['wrong\x15', `${KEY}\r`], ['login', address], env);
    expect(code, seen).toBe(0);
    expect(seen).not.toContain(KEY);
    expect(seen).toContain(`API key for ${address} (not shown; Esc leaves): \r\n${address} accepts it.`);
    expect(readFileSync(file, 'utf8')).toContain(KEY);
  });

  test('Esc leaves, and nothing is stored', async () => {
    const { code, seen } = await typed(['half\x1b'], ['login', UNREACHED], user().env);
    expect([code, seen.includes('Nothing is stored.')], seen).toEqual([1, true]);
  });
});

describe('a line that is not shown', () => {
  const lineOf = (...reads: readonly string[]) => {
    const line = createSecretLine();
    let end: ReturnType<typeof line.take>;
    for (const read of reads) end ??= line.take(read);
    return end;
  };

  test.each([
    ['is what was typed', ['a', 'b', '\r'], { kind: 'done', text: 'ab' }],
    ['is without what was deleted', ['ab\x7f\bc\r'], { kind: 'done', text: 'c' }],
    ['begins anew at Ctrl-U', ['ab\x15c\r'], { kind: 'done', text: 'c' }],
    [
      'is without the marks of a paste and without arrows',
      ['\x1b[200~ab\x1b[201~\x1b[D\r'],
      { kind: 'done', text: 'ab' },
    ],
    ['is left by Esc', ['ab', '\x1b'], { kind: 'cancel' }],
    ['is left by Ctrl-D while it is empty', ['\x04'], { kind: 'cancel' }],
    ['is interrupted by Ctrl-C', ['ab\x03'], { kind: 'interrupt' }],
  ])('%s', (_, reads, end) => expect(lineOf(...reads)).toEqual(end));
});
