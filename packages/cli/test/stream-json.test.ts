/** The control protocol through the command line, from what is piped in to the exit code. */

import { against, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { type RehearsalServer, reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, it } from 'vitest';

let server: RehearsalServer;
beforeEach(async () => {
  server = await startRehearsal();
});
afterEach(() => server.close());

const STREAM = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];
const PROMPT = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'Go.' }, parent_tool_use_id: null })}\n`;
const run = (input: string, start: typeof commandLine = turnwright) =>
  start(STREAM, { input, env: against(server) });

it('a turn: lines of JSON on stdout, nothing on stderr, exit 0', async () => {
  server.setScenario({ name: 'x', replies: [reply('Hi.')] });
  const { code, stdout, stderr } = await run(PROMPT);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const types = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types).toContain('result');
});

it('nothing on stdin: exit 0, no output', async () => {
  expect(await run('')).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

it('a line that is no JSON: a sentence on stderr, exit 1', async () => {
  const { code, stderr } = await run('hello\n', commandLine);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Error parsing streaming input line: hello\n$/);
});

it('SIGTERM in mid-turn: 143, no result', async () => {
  server.setScenario({ name: 'x', replies: [reply('x'.repeat(2_000), { timing: { gapMs: 200 } })] });
  const { code, stdout } = await turnwright([...STREAM], {
    input: PROMPT,
    env: against(server),
    onStdout: (child, soFar) => {
      if (soFar.includes('"init"')) child.kill('SIGTERM');
    },
  });
  expect(code).toBe(143);
  expect(stdout).not.toContain('"type":"result"');
});

it('formats that do not go together are a usage error', async () => {
  const { code, stderr } = await commandLine(['--input-format', 'stream-json'], { input: '' });
  expect(code).toBe(2);
  expect(stderr).toContain('--output-format stream-json');
});

it('-v begins with our name: clients that compare a leading number compare nothing', async () => {
  const { code, stdout } = await turnwright(['-v']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Turnwright \d+\.\d+\.\d+ \(protocol 2\.\d+\.\d+\)\n$/);
});

it('auth status --json says where credentials come from, not what they are', async () => {
  const { code, stdout } = await turnwright(['auth', 'status', '--json'], {
    env: { ANTHROPIC_API_KEY: 'sk-secret' },
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    loggedIn: true,
    authMethod: 'api_key',
    apiProvider: 'firstParty',
    apiKeySource: 'ANTHROPIC_API_KEY',
    configDirectory: expect.any(String),
    projectsDirectory: expect.stringMatching(/projects$/),
  });
  expect(stdout).not.toContain('sk-secret');
});
