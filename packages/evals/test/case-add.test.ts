/**
 * `turnwright case add`: a case of a session, without its secrets, which runs offline against the recorded
 * answers.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, text, toolUse } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

const KEY = 'sk-ant-api03-abcdefghijklmnop';
const PASSWORD = 'correct-horse-9';
const TOKEN = 'tok_live_77aa88bb';

/** Everything in a folder as one text. */
const allText = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .join('\n');

/** A session that writes a file and runs its test. */
async function record(cwd: string) {
  const write = (path: string, content: string, id: string) =>
    toolUse('Write', { file_path: join(cwd, path), content }, id);
  const server = await rehearse(
    reply([text(`I use ${KEY}.`), write('sum.mjs', 'export const sum = (a, b) => a + b;\n', 'toolu_1')]),
    reply([toolUse('Bash', { command: 'node test.mjs' }, 'toolu_2')]),
    reply('It passes.'),
  );
  const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder(), MY_TOKEN: TOKEN };
  const prompt = `Write sum.mjs so that test.mjs passes. The key is ${KEY}, the token ${TOKEN}.`;
  const words = ['-p', prompt, '--permission-mode', 'bypassPermissions', '--output-format', 'json'];
  const ran = await commandLine(words, { env, cwd });
  expect(ran).toMatchObject({ code: 0 });
  return { env, server, sessionId: JSON.parse(ran.stdout).session_id as string };
}

const TEST = "import { sum } from './sum.mjs';\nif (sum(1, 2) !== 3) throw new Error('wrong');\n";

test('in a repository: a patch against the commit before it, checks, answers, and no secrets', async () => {
  const cwd = realpathSync(temporaryFolder());
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...words], { cwd });
  git('init', '-q');
  writeFileSync(join(cwd, '.gitignore'), '.env\n');
  writeFileSync(join(cwd, 'test.mjs'), TEST);
  git('add', '.');
  git('commit', '-qm', 'first', '--date', '2026-01-01T00:00:00Z');
  writeFileSync(join(cwd, '.env'), `DB_PASSWORD="${PASSWORD}"\nPORT=3000\n`);
  writeFileSync(join(cwd, 'config.json'), `{ "port": 3000, "password": "${PASSWORD}" }\n`);
  const { env, server, sessionId } = await record(cwd);

  const added = await commandLine(['case', 'add', sessionId.slice(0, 8), '--to', 'cases/sum'], { env, cwd });
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const folder = join(cwd, 'cases', 'sum');
  expect(readdirSync(folder).sort()).toEqual(['answers.jsonl', 'case.yaml', 'patch.diff']);
  const whole = allText(folder) + added.stdout;
  for (const secret of [KEY, PASSWORD, TOKEN]) expect(whole).not.toContain(secret);
  expect(added.stdout).toContain('an API key: prompt\n');
  expect(added.stdout).toContain('the value of MY_TOKEN: prompt\n');
  expect(added.stdout).toMatch(/the value of DB_PASSWORD in \.env: patch\.diff line \d/);
  expect(added.stdout).toContain('an API key: answers.jsonl line 1\n');
  const given = readFileSync(join(folder, 'case.yaml'), 'utf8');
  expect(given).toContain('repository: "../.."\n');
  expect(given).toContain('- command: "node test.mjs"\n  - { file: "sum.mjs", exists: true }\n');
  const patch = readFileSync(join(folder, 'patch.diff'), 'utf8');
  expect(patch).toContain('+{ "port": 3000, "password": "[masked]" }');
  // What the session itself wrote is not in its beginning.
  expect(patch).not.toContain('sum.mjs');

  const requests = server.requests.length;
  writeFileSync(join(folder, 'case.yaml'), `${given}options: { permissionMode: bypassPermissions }\n`);
  const replayed = await commandLine(['eval', 'cases', '--replayed', '--min-pass-rate', '1'], { env, cwd });
  expect(replayed).toMatchObject({ code: 0 });
  expect(replayed.stdout).toContain('default     1/1  100.0 %');
  expect(server.requests.length).toBe(requests);
  // The working copies are gone, for git too.
  expect(
    execFileSync('git', ['worktree', 'list'], { cwd, encoding: 'utf8' }).trim().split('\n'),
  ).toHaveLength(1);
});

test('without a repository: a small tree; what asks otherwise than recorded is named', async () => {
  const cwd = realpathSync(temporaryFolder());
  mkdirSync(join(cwd, 'lib'));
  writeFileSync(join(cwd, 'lib', 'keys.txt'), `key ${KEY}\nghp_${'a'.repeat(30)}\n`);
  writeFileSync(join(cwd, 'test.mjs'), TEST);
  const { env } = await record(cwd);
  const added = await commandLine(['case', 'add'], { env, cwd });
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const folder = join(cwd, 'cases', 'write-sum-mjs-so-that');
  expect(readFileSync(join(folder, 'files', 'lib', 'keys.txt'), 'utf8')).toBe('key [masked]\n[masked]\n');
  expect(added.stdout).toContain('an API key: files/lib/keys.txt\n');
  expect(added.stdout).toContain('a GitHub or GitLab token: files/lib/keys.txt line 2\n');
  expect(readdirSync(join(folder, 'files')).sort()).toEqual(['lib', 'test.mjs']);
  const again = await commandLine(['case', 'add'], { env, cwd });
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('already. Give another folder: --to.');

  const file = join(folder, 'case.yaml');
  const given = readFileSync(file, 'utf8');
  writeFileSync(file, `${given}options: { permissionMode: bypassPermissions }\n`);
  // A rule that denies the file: the model that is recorded goes on otherwise, and the case fails.
  writeFileSync(join(cwd, 'strict.json'), '{ "permissions": { "deny": ["Write"] } }');
  const strict = [
    'eval',
    'cases',
    '--replayed',
    '--settings',
    join(cwd, 'strict.json'),
    '--min-pass-rate',
    '1',
  ];
  const denied = await commandLine(strict, { env, cwd });
  expect(denied).toMatchObject({ code: 1 });
  expect(denied.stdout).toContain('write-sum-mjs-so-that, strict, run 1: node test.mjs');
  expect(denied.stdout).toContain('It exited with 1, not 0.');

  // More requests than are recorded are named.
  const lines = readFileSync(join(folder, 'answers.jsonl'), 'utf8').trim().split('\n');
  writeFileSync(join(folder, 'answers.jsonl'), lines.slice(0, 2).join('\n'));
  const more = await commandLine(['eval', 'cases', '--replayed'], { env, cwd });
  expect(more.stdout).toContain('1 more request of main than recorded');
});
