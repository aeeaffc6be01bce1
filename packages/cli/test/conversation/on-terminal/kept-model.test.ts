/** A session goes on with the model and the effort that it was asked with last. */

import { rehearse } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux } from '@turnwright/test/terminal/tmux.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

describe.skipIf(!hasTmux)('the chosen model', { timeout: 120_000 }, () => {
  test('is kept when the conversation goes back, and when it is continued', async () => {
    const server = await rehearse(reply('Hi.'), reply('And after all.'));
    const lastAsked = () => server.requests.at(-1)?.body;
    const wanted = { model: expect.stringContaining('sonnet'), output_config: { effort: 'low' } };
    const talk = await converse(server, {});
    await talk.seen('opus-5-5');
    await talk.enter('/model sonnet');
    await talk.seen('The model is now');
    await talk.enter('/effort low');
    await talk.seen('The effort is low');
    await talk.enter('hello');
    await talk.seen('Hi.');
    await talk.enter('/rewind');
    await talk.seen('Go back to before a prompt');
    talk.keys('Enter');
    await talk.seen('Before “hello”');
    talk.keys('Enter');
    await talk.gone('Before “hello”');
    await talk.seen('› hello');
    talk.keys('Enter');
    const ends = () => talk.history().filter((row) => row.startsWith('done · ')).length;
    await expect.poll(ends, { timeout: 30_000 }).toBe(2);
    expect(lastAsked()).toMatchObject(wanted);
    talk.keys('C-d');
    await talk.until('ended with 0');
    const again = await converse(server, { cwd: talk.cwd, env: talk.env, args: ['--continue'] });
    await again.enter('go on');
    await again.seen('And after all.');
    expect(lastAsked()).toMatchObject(wanted);
  });
});
