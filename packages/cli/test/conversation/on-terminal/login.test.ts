/** `/login` in the built conversation: the key is not shown, and the same conversation goes on by it. */

import { storeLogin } from '@turnwright/engine';
import { against, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux } from '@turnwright/test/terminal/tmux.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

describe.skipIf(!hasTmux)('a login', () => {
  test('is used from then on, with what was said before', async () => {
    const server = await rehearse(reply('One.'), reply('Two.'));
    const cwd = temporaryFolder();
    const { ANTHROPIC_API_KEY: _, ...env } = bareEnv(against(server));
    await storeLogin(server.url, { apiKey: 'the-old-key' }, { cwd, env });
    const talk = await converse(server, { env, cwd });
    await talk.enter('first');
    await talk.until('done · 1 turn');
    await talk.enter('/login');
    await talk.seen('API key for');
    talk.type('the-new-key');
    await talk.seen('› •••••••••••');
    talk.keys('Enter');
    await talk.until('accepts it. It is stored in');
    await talk.enter('second');
    await talk.until('Two.');
    const asked = server.requests.filter(({ path }) => path === '/v1/messages');
    expect(asked.map(({ headers }) => headers['x-api-key'])).toEqual(['the-old-key', 'the-new-key']);
    expect(JSON.stringify(asked.at(-1)?.body)).toContain('One.');
    expect(talk.raw()).not.toContain('the-new-key');
  });
});
