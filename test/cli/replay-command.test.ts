/** `turnwright replay`: the same decisions, none that could be replayed, and a session that is not there. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';
import { resealed } from '../../packages/engine/src/session/journal/envelope.ts';
import { against, rehearse, temporaryFolder } from './bin.ts';
import { commandLine } from './command-line.ts';

test('a session decides the same again; without its decisions there is nothing to compare', async () => {
  const server = await rehearse(reply('Hello.'));
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const env = { ...against(server), TURNWRIGHT_HOME: home };
  const ran = await commandLine(['-p', 'Say hello.', '--output-format', 'json'], { env, cwd });
  const { session_id: id } = JSON.parse(ran.stdout);
  const requests = server.requests.length;
  expect(await commandLine(['replay'], { env, cwd })).toMatchObject({
    code: 0,
    stdout: 'Same decisions: 1 iteration of 1 run.\n',
    stderr: '',
  });
  const whole = await commandLine(['replay', id.slice(0, 8), '--json'], { env });
  expect([whole.code, JSON.parse(whole.stdout)]).toEqual([0, { runs: 1, iterations: 1, notRecorded: [] }]);

  const [folder = ''] = readdirSync(join(home, 'projects'));
  const path = join(home, 'projects', folder, `${id}.jsonl`);
  const text = readFileSync(path, 'utf8');
  const other = text.split('\n').map((line) => {
    if (!line.includes('"type":"decision"')) return line;
    const entry = JSON.parse(line);
    Object.assign(entry.record.budgets, { turnCount: 7 });
    return resealed(entry);
  });
  writeFileSync(path, other.join('\n'));
  const different = await commandLine(['replay', '--redact'], { env, cwd });
  expect([different.code, different.stderr]).toEqual([1, '']);
  expect(different.stdout).toMatch(
    /^Different: submission 1, iteration 1: budgets\.turnCount\n {2}recorded: 7\n/,
  );

  const messages = text.split('\n').filter((line) => !line.includes('"type":"decision"'));
  writeFileSync(path, messages.join('\n'));
  const left = await commandLine(['replay'], { env, cwd });
  expect(left).toMatchObject({ code: 4, stderr: '' });
  expect(server.requests.length).toBe(requests);
});

test('a session that is not there, and a submission that it does not have', async () => {
  const env = { TURNWRIGHT_HOME: temporaryFolder() };
  for (const words of [['replay'], ['replay', 'nope'], ['replay', '--submission', '0']]) {
    const { code, stdout, stderr } = await commandLine(words, { env });
    expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({
      code: 2,
      stdout: '',
      lines: words.includes('--submission') ? 2 : 1,
    });
  }
});

test('the copy of a session, and a run whose money did not suffice for a request, decide the same', async () => {
  const server = await rehearse(reply('Hello.', { times: 'any' }));
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const env = { ...against(server), TURNWRIGHT_HOME: home };
  const ran = await commandLine(['-p', 'Say hello.', '--output-format', 'json'], { env, cwd });
  const fork = await commandLine(['sessions', 'fork', JSON.parse(ran.stdout).session_id], { env, cwd });
  const [id = ''] = /[\da-f]{8}-[\da-f-]{27}/.exec(fork.stdout) ?? [];
  const same = { code: 0, stdout: 'Same decisions: 1 iteration of 1 run.\n' };
  expect(await commandLine(['replay', id], { env, cwd })).toMatchObject(same);

  const poor = temporaryFolder();
  const flags = ['--max-budget-usd', '0.01', '--strict-budget', '--model', 'opus'];
  expect((await commandLine(['-p', 'Say hello.', ...flags], { env, cwd: poor })).code).toBe(1);
  expect(await commandLine(['replay'], { env, cwd: poor })).toMatchObject(same);
});
