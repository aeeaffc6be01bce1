/** `turnwright policy try`: what a person sees, and the exit code that CI sees. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

const CALLS = ['npm test', 'npm test', 'make all', 'ls', `make ${'x'.repeat(200)}`];

async function recordedProject() {
  const server = await rehearse(
    reply([...CALLS.map((command) => toolUse('Bash', { command })), toolUse('Nothing', {})]),
    reply('Done.'),
  );
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const env = { ...against(server), TURNWRIGHT_HOME: home };
  const ran = await commandLine(['-p', 'Go.', '--output-format', 'json'], { env, cwd });
  return { cwd, env, home, id: JSON.parse(ran.stdout).session_id as string };
}

test('says what a rule changes, and fails where CI wants it to', async () => {
  const { cwd, env, home, id } = await recordedProject();
  const tried = (...words: string[]) => commandLine(['policy', 'try', ...words], { env, cwd });

  const { code, stdout, stderr } = await tried(
    'Bash(npm test)',
    '--deny',
    'Bash(ls:*)',
    '--allow',
    'Bash(nix:*)',
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  expect(stdout).toContain('5 calls of 1 session');
  expect(stdout).toMatch(
    /newly allowed +2\nnewly asked +0\nnewly denied +1\nquestions: 4 before, 2 now \(2 fewer\)/,
  );
  expect(stdout).toContain('* allow Bash(npm test)\n    2 calls, 2 questions saved\n      npm test');
  expect(stdout).toContain('Decided nothing:\n* allow Bash(nix:*)');
  expect(stdout).toContain('note: Without a verdict, because malformed or cut off: 1 of');

  const json = JSON.parse((await tried('--mode', 'bypassPermissions', id.slice(0, 8), '--json')).stdout);
  expect(json).toMatchObject({
    sessions: 1,
    calls: 5,
    newlyAllowed: 4,
    after: { allow: 5, ask: 0, deny: 0 },
  });

  expect((await tried('Bash(npm test)', '--fail-on', 'newly-denied')).code).toBe(0);
  expect(
    (await tried('Bash(npm test)', '--fail-on', 'newly-denied', '--fail-on', 'newly-allowed')).code,
  ).toBe(1);
  writeFileSync(join(cwd, 'strict.json'), JSON.stringify({ permissions: { deny: ['Bash'] } }));
  expect((await tried('strict.json', '--instead', '--fail-on', 'newly-denied')).code).toBe(1);
  expect((await tried('Bash(npm test)', '--all-projects', '--limit', '5')).stdout).toContain(
    '5 calls of 1 session',
  );

  // A session of an earlier version: without the policy that was in force.
  const [folder = ''] = readdirSync(join(home, 'projects'));
  const path = join(home, 'projects', folder, `${id}.jsonl`);
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, lines.filter((line) => !line.includes('"type":"policy"')).join('\n'));
  const earlier = await tried('Bash(npm test)');
  expect(earlier.stdout).toMatch(/newly allowed +2\n/);
  expect(earlier.stdout).toContain('were recorded without their policy');
});

test('one sentence for what cannot be tried', async () => {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const env = { TURNWRIGHT_HOME: home };
  writeFileSync(join(cwd, 'broken.json'), '{ "permissions": ');
  const none = await commandLine(['policy', 'try', 'Bash'], { env, cwd });
  expect(none.code).toBe(2); // neither a rule in parentheses nor a flag: a session
  expect(await commandLine(['policy', 'try', '--allow', 'Bash'], { env, cwd })).toMatchObject({
    code: 4,
    stdout: 'No recorded call can be tried: 0 calls of 0 sessions.\n',
    stderr: '',
  });
  for (const [words, sentence] of [
    [[], /Say what to try/],
    [['--allow', 'Ba(sh'], /is not a permission rule/],
    [['--mode', 'wild'], /Allowed choices are default/],
    [['--fail-on', 'anything', '--allow', 'Bash'], /--fail-on takes newly-allowed/],
    [['none.json'], /the file does not exist/],
    [['broken.json'], /is not JSON/],
    [['--allow', 'Bash', 'ffffffff'], /There is no session ffffffff/],
  ] as const) {
    const { code, stdout, stderr } = await commandLine(['policy', 'try', ...words], { env, cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  }
});
