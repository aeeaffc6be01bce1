/** One whole session, driven by keys alone: each step is what a person sees, and what has really happened. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rehearse } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { forbiddenIn } from '@turnwright/test/terminal/forbidden-sequences.ts';
import { hasTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

/** Longer than a dialog's guards against keys that were meant for the editor. */
const UNHURRIED_MS = 1_000;

describe.skipIf(!hasTmux)('a whole session', () => {
  test('prompt, approval with a rule saved, queue, interrupt, model change, rewind, resume, exit', async () => {
    const server = await rehearse(
      reply(['I make a file.', toolUse('Bash', { command: 'mkdir made' })]),
      reply('The folder **is** there.'),
      reply('Never said.', { timing: { ttftMs: 60_000 } }),
      reply('By the other model.'),
    );
    const talk = await converse(server);
    await talk.seen('opus-5-5');

    await talk.enter('make it');
    await talk.seen('3 always');
    await pause(UNHURRIED_MS);
    talk.keys('3');
    await talk.seen('Always allow');
    await pause(UNHURRIED_MS);
    talk.keys('Enter');
    await talk.until('The folder is there.');
    expect(existsSync(join(talk.cwd, 'made'))).toBe(true);
    const rules = readFileSync(join(talk.cwd, '.turnwright', 'settings.local.json'), 'utf8');
    expect(JSON.parse(rules)).toEqual({ permissions: { allow: ['Bash(mkdir made)'] } });
    await talk.until('done · 2 turns');

    await talk.enter('take long');
    await talk.seen('waiting for');
    await talk.enter('and then this');
    await talk.seen('queued 1: and then this');
    talk.keys('Escape');
    await talk.seen('held 1: and then this');
    await talk.until('stopped: interrupted');

    await talk.enter('/model sonnet');
    await talk.until('The model is now claude-sonnet');
    await talk.seen('sonnet-5-5 · manual');
    talk.keys('Enter');
    await talk.until('By the other model.');
    await talk.seen('cache ✗ model');
    const last = server.requests.findLast(({ path }) => path === '/v1/messages');
    expect(JSON.stringify(last?.body)).toContain('"model":"claude-sonnet-5-5"');

    talk.keys('Escape', 'Escape');
    await talk.seen('Go back to before a prompt');
    await talk.seen('take long');
    talk.keys('Enter');
    await talk.seen('The conversation');
    talk.keys('Enter');
    await talk.seen('› and then this');
    talk.keys('C-c');
    await talk.gone('› and then this');
    await pause(UNHURRIED_MS);

    await talk.enter('/resume');
    await talk.seen('Resume a session');
    await talk.seen('make it');
    talk.keys('Enter');
    await talk.gone('Resume a session');
    await talk.seen('sonnet-5-5');

    await pause(UNHURRIED_MS);
    talk.keys('C-d');
    await talk.until('ended with 0');
    expect(talk.history().join('\n')).toMatch(
      /This session has cost \$\d+\.\d+\.\s+Go on with: turnwright --resume [\da-f-]{36}/,
    );
    expect(forbiddenIn(talk.raw(), { viewer: false })).toEqual([]);
  });
});
