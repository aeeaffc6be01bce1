/** Sessions and messages by the beginning of their ids. */

import { against, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';
import { theOnly } from '../src/commands/whole-id.ts';
import { UsageError } from '../src/usage-error.ts';

const ONE = 'abcd1111-0000-4000-8000-000000000001';
const TWO = 'abcd2222-0000-4000-8000-000000000002';

/** Two sessions, and a command line that knows them. */
async function twoSessions() {
  const scenario = { name: 'ids', replies: [reply('Done.', { times: 'any' })] };
  const server = await startRehearsal({ scenario });
  const cwd = temporaryFolder();
  const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
  const run = (...words: string[]) => commandLine(words, { env, cwd });
  await run('-p', '--session-id', ONE, 'Plant a larch.');
  await run('-p', '--session-id', TWO, 'Plant a pine.');
  return { server, run, env, cwd };
}

test('a session is named by the beginning of its id, wherever one is named', async () => {
  const { server, run } = await twoSessions();
  expect((await run('sessions', 'show', 'abcd1')).stdout).toContain('Plant a larch.');
  expect((await run('sessions', 'show', 'ABCD2')).stdout).toContain('Plant a pine.');
  for (const command of ['explain', 'context', 'cost'])
    expect(await run(command, 'abcd2'), command).toMatchObject({ code: 0, stderr: '' });
  expect((await run('sessions', 'rename', 'abcd2', 'Pines')).stdout).toBe(`${TWO} is now "Pines".\n`);
  expect(await run('-p', '--resume', 'abcd1', 'And water it.')).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Plant a larch.');
  await server.close();
});

test('the same from a process of its own', async () => {
  const { server, env, cwd } = await twoSessions();
  const { code, stdout } = await turnwright(['sessions', 'show', 'abcd2'], { env, cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Plant a pine.') });
  await server.close();
});

test('a beginning that several have is refused with the sessions that it may mean', async () => {
  const { server, run } = await twoSessions();
  const asked = server.requests.length;
  for (const words of [
    ['sessions', 'delete', 'abcd'],
    ['explain', 'abcd'],
    ['-p', '--resume', 'abcd', 'Go on.'],
  ]) {
    const { code, stderr } = await run(...words);
    expect({ code, stderr }, words.join(' ')).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^turnwright: The ids of 2 sessions begin with "abcd": type more of the one that you mean\.\n {2}abcd\d{4}-\S+ {2}\S+ \S+ {2}Plant a /,
      ),
    });
  }
  expect(server.requests).toHaveLength(asked);
  expect((await run('sessions')).stdout.match(/abcd/g)).toHaveLength(2);
  await server.close();
});

test('a beginning that none has is answered as an unknown id is', async () => {
  const { server, run } = await twoSessions();
  expect((await run('sessions', 'show', 'beef')).stderr).toContain('There is no session beef.');
  expect((await run('-p', '--resume', 'beef', 'Go on.')).stderr).toContain('session ID: beef');
  await server.close();
});

test('messages are named so, too', async () => {
  const { server, run } = await twoSessions();
  const { stdout } = await run('sessions', 'show', ONE);
  const message = /^user (\S+)$/m.exec(stdout)?.[1] ?? '';
  expect((await run('sessions', 'fork', 'abcd1', '--at', message.slice(0, 8))).code).toBe(0);
  expect((await run('sessions', 'erase', 'abcd1', '--message', message.slice(0, 8))).code).toBe(0);
  expect((await run('sessions', 'show', ONE)).stdout).not.toContain('Plant a larch.');
  await server.close();
});

test('an id that is whole means itself, though others begin with it; of many the first ones are named', () => {
  const ids = (all: readonly string[], given: string) =>
    theOnly(given, all, { what: 'sessions', idOf: (id) => id, lineOf: (id) => id });
  expect(ids(['s1', 's10'], 's1')).toBe('s1');
  expect(ids(['s1', 's10'], 's10')).toBe('s10');
  expect(ids([], 's')).toBe('s');
  const many = Array.from({ length: 30 }, (_, at) => `s${at + 100}`);
  expect(() => ids(many, 's1')).toThrow(UsageError);
  expect(() => ids(many, 's1')).toThrow(/ {2}s109\n {2}… and 20 more$/);
});
