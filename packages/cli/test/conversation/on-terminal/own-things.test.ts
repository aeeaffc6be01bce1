/** What belongs to the person: commands of their own, their status line, their title, their mode. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse, type Talk } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux, inTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { type RehearsalServer, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

/** An environment whose user has these settings. */
function withSettings(server: RehearsalServer, settings: object): Record<string, string> {
  const env = bareEnv(against(server));
  const home = env['TURNWRIGHT_HOME'] as string;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
  return env;
}

/** By what each would do to a terminal; pictures of them are shown. */
const DRIVING: Readonly<Record<string, string>> = {
  'a title': '\x1b]0;EVIL\x07',
  'a title in C1 form': '\x9d0;EVIL\x9c',
  'the clipboard': '\x1b]52;c;RVZJTA==\x07',
  'a notice': '\x1b]9;EVIL\x07',
  'clearing the screen and its history': '\x1b[2J\x1b[3J\x1b[H',
  'the other screen': '\x1b[?1049h',
  'mouse reports': '\x1b[?1003h',
  'a report that is typed as input': '\x1b[5n',
  'a device string': '\x1bP+q544e\x1b\\',
  'a reset': '\x1bc',
};

describe.skipIf(!hasTmux)('at a terminal', () => {
  test.each([
    ['the conversation', ['go']],
    ['-p', ['-p', 'go']],
  ] as const)('what a model writes cannot drive the terminal: %s', async (_, args) => {
    const server = await rehearse(reply(`Begin ${Object.values(DRIVING).join(' ')} the end of it.`));
    const command = ['sh', '-c', 'cd "$0" && exec "$@"', temporaryFolder(), process.execPath, BIN, ...args];
    const terminal = await inTmux(command, { env: bareEnv(against(server)) });
    await terminal.until('the end of it.');
    const raw = terminal.raw();
    for (const [what, sequence] of Object.entries(DRIVING)) expect(raw, what).not.toContain(sequence);
    expect(terminal.ask('#{pane_title}')).not.toContain('EVIL');
    expect(terminal.ask('#{alternate_on} #{mouse_any_flag}')).toBe('0 0');
    expect(terminal.history()).toContain('text of the shell');
  });

  test('!command runs in the shell, is ended by Esc, and the model reads what it wrote with the next prompt', async () => {
    const server = await rehearse(reply('I have read it.'));
    const talk = await converse(server);
    await talk.seen('opus-5-5');
    await talk.enter('!echo one$((1+1))three; exit 3');
    // What was typed has the words "exit 3", too.
    await talk.until('one2three');
    await talk.until('exit 3');
    expect(server.requests.filter(({ path }) => path === '/v1/messages')).toEqual([]);
    await talk.enter('!sleep 600');
    await talk.seen('1 tool runs');
    talk.keys('Escape');
    await talk.until('stopped ·');
    await talk.enter('what did it say?');
    await talk.until('I have read it.');
    const body = JSON.stringify(server.requests.at(-1)?.body);
    expect(body).toContain('<bash-input>echo one$((1+1))three; exit 3</bash-input>');
    expect(body).toContain('one2three');
    expect(body).toContain('<bash-exit>exit code 3</bash-exit>');
  });

  test('the status line is what the command of the settings prints for the state on its stdin', async () => {
    const server = await rehearse(reply('Hello.'));
    const script =
      "const s = JSON.parse(require('fs').readFileSync(0, 'utf8'));" +
      "console.log(['mine', s.model.id, s.session_id.length, s.cost.total_cost_usd > 0, s.permission_mode].join(' '))";
    const command = `'${process.execPath}' -e "${script}"`;
    const talk = await converse(server, {
      env: withSettings(server, { statusLine: { type: 'command', command, padding: 2 } }),
    });
    await talk.seen('  mine claude-opus-5-5 36 false default');
    talk.keys('BTab');
    await talk.seen('  mine claude-opus-5-5 36 false acceptEdits');
    await talk.enter('hi');
    await talk.seen('  mine claude-opus-5-5 36 true acceptEdits');
  });

  test('a status line command that fails is named once, and the usual line stays', async () => {
    const server = await rehearse(reply('Hello.'));
    const talk = await converse(server, {
      env: withSettings(server, { statusLine: { type: 'command', command: 'echo sorry >&2; exit 4' } }),
    });
    await talk.until('The command of the setting statusLine failed: exit code 4: sorry');
    await talk.seen('opus-5-5 · manual');
    await talk.enter('hi');
    await talk.until('done · 1 turn');
    expect(talk.history().filter((line) => line.includes('sorry'))).toHaveLength(1);
  });

  test('the title says what it does unless it is switched off; the bell only where the settings ask for it', async () => {
    const server = await rehearse(reply('Hello.'), reply('Hello again.'));
    const quiet = await converse(server, { env: withSettings(server, { terminalTitle: false }) });
    await quiet.seen('opus-5-5');
    await quiet.enter('hi');
    await quiet.until('done · 1 turn');
    expect(quiet.raw()).not.toContain('\x07');
    expect(quiet.raw()).not.toContain('\x1b]2;');
    const settings = { terminalBell: true };
    const loud = await converse(server, { env: withSettings(server, settings) });
    await loud.seen('opus-5-5');
    await loud.enter('hi');
    await loud.until('done · 1 turn');
    expect(loud.raw()).toContain('\x1b]2;* ');
    // Titles end with the same character.
    const bells = loud.raw().split('\x07').length - loud.raw().split('\x1b]2;').length;
    expect(bells).toBeGreaterThan(0);
    loud.keys('C-d');
    await loud.until('ended with 0');
    expect(loud.raw()).toContain('\x1b[23;2t');
  });

  test('a program that takes keys has the terminal until it ends', async () => {
    const server = await rehearse(reply('Hello.'));
    const bin = temporaryFolder();
    const script = '#!/bin/sh\nprintf "file name: "\nread -r line\necho "$line" > "$1"\n';
    writeFileSync(join(bin, 'nano'), script, { mode: 0o755 });
    const env = bareEnv(against(server));
    const talk = await converse(server, { env: { ...env, PATH: `${bin}:${env['PATH']}` } });
    await talk.enter('! nano made');
    await talk.seen('file name:');
    talk.keys('typed', 'Enter');
    await talk.seen('exit 0');
    await talk.seen('›');
    expect(readFileSync(join(talk.cwd, 'made'), 'utf8')).toBe('typed\n');
    await talk.enter('hi');
    await talk.until('Hello.');
    expect(JSON.stringify(server.requests[0]?.body)).toContain('it had the terminal');
  });

  test('a hook is notified when the conversation waits for a person: with a question, and after an answer', async () => {
    const server = await rehearse(reply(toolUse('Bash', { command: 'mkdir made' })), reply('Made.'));
    const notes = join(temporaryFolder(), 'notes');
    const hook = { hooks: [{ type: 'command', command: `cat >> '${notes}'` }] };
    const env = withSettings(server, { hooks: { Notification: [hook] } });
    const talk = await converse(server, { env: { ...env, TURNWRIGHT_IDLE_NOTIFICATION_MS: '300' } });
    const noted = () => (existsSync(notes) ? readFileSync(notes, 'utf8') : '');
    await talk.enter('make it');
    await talk.seen('1 once');
    while (!noted().includes('permission_prompt')) await pause(50);
    expect(noted()).not.toContain('idle_prompt');
    await pause(600);
    talk.keys('1');
    await talk.until('done · 2 turns');
    while (!noted().includes('idle_prompt')) await pause(50);
  });

  test('the mode goes from manual to accept edits to plan, for the session, too', async () => {
    const server = await rehearse(reply('Planned.'));
    const talk = await converse(server, { columns: 40 });
    await talk.seen('opus-5-5 · manual');
    talk.keys('BTab');
    await talk.seen('accept edits');
    talk.keys('BTab');
    await talk.seen('· plan');
    await talk.enter('hi');
    await talk.until('Planned.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('lan mode');
    talk.keys('BTab');
    await talk.seen('· manual');
  });

  test('an earlier conversation is continued or forked, with its end printed', async () => {
    const server = await rehearse(reply('The **first** answer.'), reply('The second.'));
    const talk = await converse(server, { args: ['what is it?'] });
    await talk.until('done · 1 turn');
    talk.keys('C-d');
    await talk.until('ended with 0');
    const again = await converse(server, { cwd: talk.cwd, env: talk.env, args: ['--continue'] });
    await again.until('> what is it?');
    await again.until('The first answer.');
    await again.enter('and then?');
    await again.until('The second.');
    await again.until('done · 1 turn');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('what is it?');
    again.keys('C-d');
    await again.until('ended with 0');
    const idIn = (one: Talk) => /turnwright --resume (\S{36})/.exec(one.history().join('\n'))?.[1] ?? '';
    expect(idIn(again)).toBe(idIn(talk));
    const args = ['--resume', idIn(talk), '--fork-session'];
    const fork = await converse(server, { cwd: talk.cwd, env: talk.env, args });
    await fork.until('The second.');
    await fork.enter('in another direction');
    await fork.until('done · 1 turn');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('and then?');
    fork.keys('C-d');
    await fork.until('ended with 0');
    expect(idIn(fork)).toMatch(/\S/);
    expect(idIn(fork)).not.toBe(idIn(talk));
  });
});
