/** What `@` completes to, and what the screen says that a prompt has brought along (FH-C8). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { against, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux } from '@turnwright/test/terminal/tmux.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const TOOLBOX = fileURLToPath(new URL('../../../../../test/mcp/servers/toolbox.mjs', import.meta.url));

describe.skipIf(!hasTmux)('what a prompt names', () => {
  test('is said, also in the viewer and after --continue; agents and resources are in the list', async () => {
    const server = await rehearse(reply('I see.'), reply('Reviewed.'));
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src/add.ts'), 'one\ntwo\nthree\n');
    const env = bareEnv(against(server));
    const agents = join(env['TURNWRIGHT_HOME'] as string, 'agents');
    mkdirSync(agents, { recursive: true });
    writeFileSync(
      join(agents, 'reviewer.md'),
      '---\nname: reviewer\ndescription: Reviews a change\n---\nReview.',
    );
    const config = JSON.stringify({ mcpServers: { box: { command: process.execPath, args: [TOOLBOX] } } });
    const talk = await converse(server, { cwd, env, args: ['--mcp-config', config] });
    await talk.seen('opus-5-5');
    await talk.enter('see @gone.ts and @src/add.ts');
    await talk.until('· read src/add.ts (3 lines)');
    await talk.until('! gone.ts was not read: there is no such file');
    await talk.until('I see.');
    talk.keys('C-o');
    await talk.seen('read src/add.ts (3 lines)');
    talk.keys('q');
    talk.type('ask @rev');
    await talk.seen('reviewer (agent)  Reviews a change');
    talk.keys('Tab');
    await talk.seen('ask @agent-reviewer');
    talk.type(' about @box:');
    await talk.seen('box:memo://notes');
    talk.keys('Tab');
    await talk.seen('@box:memo://notes');
    talk.keys('Enter');
    await talk.until('Reviewed.');
    await talk.until('· asks for the agent reviewer');
    await talk.until('· read memo://notes of box');
    const body = JSON.stringify(server.requests.findLast(({ path }) => path === '/v1/messages')?.body);
    expect(body).toContain('The user asks for the agent reviewer');
    expect(body).toContain('remember the milk');
    talk.keys('C-d');
    await talk.until('ended with 0');
    const again = await converse(server, { cwd, env, args: ['--continue'] });
    await again.until('· read src/add.ts (3 lines)');
    await again.until('! gone.ts was not read: there is no such file');
    await again.until('· asks for the agent reviewer');
    again.keys('C-d');
  });
});
