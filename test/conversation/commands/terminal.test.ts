/** Commands by keys alone, in the built command line at a real terminal. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Reply, reply, toolUse } from '../../../src/rehearsal/index.ts';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '../../cli/bin.ts';
import { forbiddenIn } from '../../terminal/forbidden-sequences.ts';
import { hasTmux, inTmux, pause, type Tmux } from '../../terminal/tmux.ts';

/** Longer than what tells typing from a paste. */
const KEY_GAP_MS = 100;

async function conversation(
  replies: readonly Reply[],
  args: readonly string[] = [],
  { cwd = temporaryFolder(), home = temporaryFolder() } = {},
) {
  const server = await rehearse(...replies);
  const env = { ...bareEnv(against(server)), TURNWRIGHT_HOME: home, TERM: 'xterm-256color' };
  const run = ['sh', '-c', `cd '${cwd}' && exec '${process.execPath}' '${BIN}' "$@"`, 'sh', ...args];
  const terminal = await inTmux(run, { env });
  return { server, terminal, enter: (text: string) => enter(terminal, text) };
}

async function enter(terminal: Tmux, text: string): Promise<void> {
  terminal.type(text);
  await pause(KEY_GAP_MS);
  terminal.keys('Enter');
  await pause(KEY_GAP_MS);
}

async function untilScreen(terminal: Tmux, text: string): Promise<void> {
  while (!terminal.screen().some((line) => line.includes(text))) await pause(30);
}

describe.skipIf(!hasTmux)('at a terminal', () => {
  test('a model is chosen, a prompt is rewound with its file, and the session is left', async () => {
    const cwd = temporaryFolder();
    const write = toolUse('Write', { file_path: join(cwd, 'a.txt'), content: 'one\n' });
    const { terminal, server } = await conversation(
      [reply('Hello there.'), reply([write]), reply('Written.')],
      ['--permission-mode', 'acceptEdits'],
      { cwd },
    );
    await untilScreen(terminal, '›');
    await enter(terminal, '/model');
    await untilScreen(terminal, 'Enter switches');
    terminal.type('haiku 5.5');
    await pause(KEY_GAP_MS);
    terminal.keys('Enter');
    await terminal.until('The model is now claude-haiku-');
    await enter(terminal, 'hello');
    await terminal.until('Hello there.');
    expect(server.requests.at(-1)?.body).toMatchObject({ model: expect.stringMatching(/^claude-haiku-/) });
    await enter(terminal, 'write a file');
    await terminal.until('Written.');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    await pause(KEY_GAP_MS);
    await enter(terminal, '/rewind');
    await untilScreen(terminal, 'Go back to before a prompt');
    terminal.keys('Enter');
    await untilScreen(terminal, 'forgets 1 prompt · 1 file');
    terminal.keys('Enter');
    await terminal.until('Restored 1 file');
    expect(readdirSync(cwd)).not.toContain('a.txt');
    // The prompt is back in the editor.
    await untilScreen(terminal, '› write a file');
    terminal.keys('C-c');
    await pause(KEY_GAP_MS);
    await enter(terminal, '/nonsense');
    await terminal.until('There is no command /nonsense.');
    terminal.keys('C-c');
    await pause(KEY_GAP_MS);
    await enter(terminal, '/exit');
    await terminal.until('ended with 0');
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('/nonsense');
    expect(forbiddenIn(terminal.raw(), { viewer: false })).toEqual([]);
  }, 60_000);

  test('--resume without an id lets the person choose a session', async () => {
    const place = { cwd: temporaryFolder(), home: temporaryFolder() };
    const first = await conversation([reply('The harbour is old.')], ['tell me of the harbour'], place);
    await first.terminal.until('The harbour is old.');
    await first.enter('/exit');
    await first.terminal.until('ended with 0');
    const { terminal } = await conversation([reply('More.')], ['--resume'], place);
    await untilScreen(terminal, 'Enter resumes it');
    await untilScreen(terminal, 'tell me of the harbour');
    terminal.keys('Enter');
    await terminal.until('The harbour is old.');
    await enter(terminal, '/exit');
    await terminal.until('ended with 0');
  }, 60_000);
});
