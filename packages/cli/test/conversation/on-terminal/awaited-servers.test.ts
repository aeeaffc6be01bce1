/** MCP servers that are not ready: the line says for whom the first request waits, and Esc goes on without. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux } from '@turnwright/test/terminal/tmux.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';

describe.skipIf(!hasTmux)('servers that are not ready', () => {
  it('are named while the first request waits, and Esc goes on without them', async () => {
    const server = await rehearse(reply('Begun without them.'));
    const cwd = temporaryFolder();
    const silent = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1_000)'] };
    const servers = join(cwd, 'servers.json');
    writeFileSync(servers, JSON.stringify({ mcpServers: { notes: silent, search: silent } }));
    const talk = await converse(server, { cwd, args: ['--mcp-config', servers], columns: 100 });
    await talk.seen('opus-5-5');
    await talk.enter('go');
    await talk.seen('waiting for the MCP servers notes, search');
    await talk.seen('Esc goes on without');
    expect(server.requests.filter(({ path }) => path === '/v1/messages')).toEqual([]);
    talk.keys('Escape');
    await talk.seen('Begun without them.');
    await talk.seen('The MCP server search has not answered yet: the run begins without its tools.');
    await talk.gone('waiting for the MCP servers');
  });
});
