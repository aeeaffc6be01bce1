/** What hands that come from elsewhere do: put a draft aside, choose model and effort, look at background work. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse, processOf } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

/** Longer than what tells Esc from a sequence, and typing from a paste. */
const KEY_GAP_MS = 150;

describe.skipIf(!hasTmux)('at a terminal', () => {
  test('a draft is put aside and brought back, also by the process after a kill', async () => {
    const server = await rehearse(reply('Sure.'));
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    const env = { ...against(server), TURNWRIGHT_HOME: home };
    const talk = await converse(server, { cwd, env });
    await talk.seen('opus-5-5');
    talk.keys('C-s');
    await talk.seen('Nothing is put aside.');
    talk.type('a long thought');
    await talk.seen('› a long thought');
    talk.keys('C-s');
    await talk.seen('Put aside. Ctrl+S');
    await talk.enter('hello');
    await talk.until('Sure.');
    await talk.seen('Ctrl+S brings back what you put aside');
    await pause(KEY_GAP_MS);
    process.kill(processOf(talk), 'SIGKILL');
    talk.end();

    const next = await converse(server, { cwd, env, args: ['--continue'] });
    await next.seen('Ctrl+S brings back what you put aside');
    next.keys('C-s');
    await next.seen('› a long thought');
    next.keys('C-s');
    await next.seen('Put aside.');
  });

  test('Alt+P chooses the model and its effort, and leaves the draft', async () => {
    const server = await rehearse(reply('Sure.'));
    const talk = await converse(server);
    await talk.seen('opus-5-5');
    talk.type('half a prompt');
    await talk.seen('› half a prompt');
    talk.keys('M-p');
    await talk.seen('effort: [default]');
    talk.keys('Right', 'Right');
    await talk.seen('low [medium] high');
    talk.keys('Enter');
    await talk.until('The effort is medium, from the next prompt on.');
    await talk.seen('› half a prompt');
    talk.keys('M-t');
    await talk.seen('/config alwaysThinkingEnabled');
    await pause(KEY_GAP_MS);
    talk.keys('Enter');
    await talk.until('Sure.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('"effort":"medium"');
  });

  test('Esc while the model answers ends the answer, and no command in the background', async () => {
    const run = toolUse('Bash', { command: 'sleep 300', run_in_background: true });
    const slow = reply('word '.repeat(400), { timing: { gapMs: 200, deltaChars: 10 } });
    const server = await rehearse(reply([run]), reply('It runs.'), slow);
    const talk = await converse(server, { args: ['--allowedTools', 'Bash'] });
    await talk.seen('opus-5-5');
    await talk.enter('go');
    await talk.until('It runs.');
    await talk.seen('1 in the background');
    await talk.enter('tell me more');
    await talk.seen('word word');
    talk.keys('Escape');
    await talk.until('stopped: interrupted');
    await talk.seen('1 in the background');
    expect(talk.screen().join(' ')).not.toContain('background task stopped');
  });

  test('an output style holds from the next prompt on, and a status line at once', async () => {
    const server = await rehearse(reply('First.'), reply('Second.'));
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    const talk = await converse(server, { cwd, env: { ...against(server), TURNWRIGHT_HOME: home } });
    await talk.seen('opus-5-5');
    await talk.enter('hello');
    await talk.until('First.');
    await talk.enter('/output-style concise');
    await talk.until('The output style is Concise, from the next prompt on.');
    await talk.enter('/statusline parts cost,model');
    await talk.gone('manual');
    await talk.enter('/statusline command echo mine');
    await talk.seen('mine');
    await talk.enter('and now');
    await talk.until('Second.');
    const [before, after] = server.requests.slice(-2).map(({ body }) => JSON.stringify(body));
    expect([before?.includes('Concise'), after?.includes('Concise')]).toEqual([false, true]);
    expect(after).toContain('First.');
    expect(readFileSync(join(home, 'settings.json'), 'utf8')).toContain('echo mine');
  });

  test('a command goes to the background, shows its output, and is stopped', async () => {
    const run = toolUse('Bash', { command: 'echo ready; sleep 300' });
    const slow = reply('Never said.', { timing: { ttftMs: 60_000 } });
    const server = await rehearse(reply([run]), reply('It runs on.'), slow, reply('It was stopped.'));
    const talk = await converse(server, { args: ['--allowedTools', 'Bash'] });
    await talk.seen('opus-5-5');
    await talk.enter('/tasks');
    await talk.until('Nothing runs in the background');
    talk.keys('C-x', 'C-k');
    await talk.seen('Nothing runs in the background.');
    await talk.enter('serve');
    await talk.seen('ready');
    await talk.enter('/tasks');
    await talk.seen('its call waits');
    talk.keys('Enter');
    await talk.seen('b to the background');
    talk.keys('b');
    await talk.seen('It goes on in the background.');
    talk.keys('Escape');
    await talk.seen('Enter opens it');
    talk.keys('Escape');
    await talk.until('It runs on.');
    await talk.seen('1 in the background');
    // Esc ends the turn, and not what runs beside it.
    await talk.enter('wait');
    await talk.seen('waiting for');
    talk.keys('Escape');
    await talk.until('stopped: interrupted');
    await talk.seen('1 in the background');
    await talk.enter('/tasks');
    await talk.seen('❯ ◐ echo ready');
    talk.keys('Enter');
    await talk.seen('s stops it');
    await talk.seen('  ready');
    talk.keys('s');
    await talk.seen('Stopped.');
    await talk.seen('■ echo ready');
    talk.keys('c');
    await talk.seen('› Start this command in the background again: echo ready; sleep 300');
  });
});
