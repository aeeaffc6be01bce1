/** Commands by keys alone, in the built command line at a real terminal. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cells } from '@turnwright/terminal/text/cells.ts';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { forbiddenIn } from '@turnwright/test/terminal/forbidden-sequences.ts';
import { hasTmux, inTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { type Reply, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

/** Longer than what tells typing from a paste. */
const KEY_GAP_MS = 100;

async function conversation(
  replies: readonly Reply[],
  args: readonly string[] = [],
  {
    cwd = temporaryFolder(),
    home = temporaryFolder(),
    columns = 80,
    rows = 24,
    more = {} as Readonly<Record<string, string>>,
  } = {},
) {
  const server = await rehearse(...replies);
  const env = { ...bareEnv(against(server)), TURNWRIGHT_HOME: home, TERM: 'xterm-256color', ...more };
  const run = ['sh', '-c', `cd '${cwd}' && exec '${process.execPath}' '${BIN}' "$@"`, 'sh', ...args];
  const terminal = await inTmux(run, { env, columns, rows });
  return { server, terminal, enter: terminal.enter };
}

async function untilFile(path: string, text: string): Promise<void> {
  while (!readFileSync(path, 'utf8').includes(text)) await pause(30);
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
    await terminal.seen('›');
    await terminal.enter('/model');
    await terminal.seen('Enter switches');
    terminal.type('haiku 5.5');
    await pause(KEY_GAP_MS);
    terminal.keys('Enter');
    await terminal.until('The model is now claude-haiku-');
    await terminal.enter('hello');
    await terminal.until('Hello there.');
    expect(server.requests.at(-1)?.body).toMatchObject({ model: expect.stringMatching(/^claude-haiku-/) });
    await terminal.enter('write a file');
    await terminal.until('Written.');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    await pause(KEY_GAP_MS);
    await terminal.enter('/rewind');
    await terminal.seen('Go back to before a prompt');
    terminal.keys('Enter');
    await terminal.seen('forgets 1 prompt · 1 file');
    terminal.keys('Enter');
    await terminal.until('Restored 1 file');
    expect(readdirSync(cwd)).not.toContain('a.txt');
    // The prompt is back in the editor.
    await terminal.seen('› write a file');
    terminal.keys('C-c');
    await pause(KEY_GAP_MS);
    await terminal.enter('/nonsense');
    await terminal.until('There is no command /nonsense.');
    terminal.keys('C-c');
    await pause(KEY_GAP_MS);
    await terminal.enter('/exit');
    await terminal.until('ended with 0');
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('/nonsense');
    expect(forbiddenIn(terminal.raw(), { viewer: false })).toEqual([]);
  });

  test('in 40 columns: a rule is written as it was shown, a memory file is edited, Esc Esc goes back', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'CLAUDE.md'), 'Use tabs.\n');
    const editor = join(temporaryFolder(), 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\necho "And no emoji." >> "$1"\n', { mode: 0o700 });
    const { terminal, enter } = await conversation([reply('Hello there.')], ['--trust-project'], {
      cwd,
      columns: 40,
      rows: 16,
      more: { EDITOR: editor },
    });
    const choose = async (words: string, shown: string) => {
      await terminal.seen(shown);
      terminal.type(words);
      await pause(KEY_GAP_MS);
      terminal.keys('Enter');
    };
    await terminal.seen('›');
    await enter('hello');
    await terminal.until('Hello there.');
    await enter('/permissions');
    await choose('add a', 'Permission rules');
    await choose('deny', 'What should the rule do?');
    await choose('Bash(rm -rf "a b":*)', 'Which calls should it deny?');
    await choose('in this project', 'kept?');
    await terminal.until('Added: deny Bash(rm -rf "a b":*)');
    // The list comes back.
    await terminal.seen('Permission rules');
    terminal.keys('Escape');
    const settings = readFileSync(join(cwd, '.turnwright', 'settings.local.json'), 'utf8');
    expect(JSON.parse(settings)).toEqual({ permissions: { deny: ['Bash(rm -rf "a b":*)'] } });
    await terminal.seen('›');
    await enter('/memory');
    await choose('CLAUDE', 'Memory files');
    await untilFile(join(cwd, 'CLAUDE.md'), 'And no emoji.');
    await terminal.seen('›');
    await pause(KEY_GAP_MS);
    terminal.keys('Escape');
    await pause(KEY_GAP_MS);
    terminal.keys('Escape');
    await terminal.seen('Go back to before a prompt');
    const screen = terminal.screen();
    const list = screen.slice(screen.findIndex((row) => row.startsWith('Go back')));
    expect(list.every((row) => cells(row) < 40)).toBe(true);
    terminal.keys('Escape');
    await terminal.seen('›');
    await enter('/exit');
    await terminal.until('ended with 0');
    expect(forbiddenIn(terminal.raw(), { viewer: false })).toEqual([]);
  });

  test('--resume without an id lets the person choose a session', async () => {
    const place = { cwd: temporaryFolder(), home: temporaryFolder() };
    const first = await conversation([reply('The harbour is old.')], ['tell me of the harbour'], place);
    await first.terminal.until('The harbour is old.');
    await first.enter('/exit');
    await first.terminal.until('ended with 0');
    const { terminal } = await conversation([reply('More.')], ['--resume'], place);
    await terminal.seen('Enter resumes it');
    await terminal.seen('tell me of the harbour');
    terminal.keys('Enter');
    await terminal.until('The harbour is old.');
    await terminal.enter('/exit');
    await terminal.until('ended with 0');
  });
});
