// The MCP servers of a project, from its .mcp.json, started as programs; and a session that wants none of them.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
// A server speaks JSON-RPC, one message a line; @modelcontextprotocol/sdk writes most of this for you.
await writeFile(
  join(cwd, 'server.mjs'),
  `import { createInterface } from 'node:readline';
const tool = { name: 'height', description: 'Says how high.', inputSchema: { type: 'object' } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'trees', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: process.env.HEIGHT }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
}
`,
);
const trees = {
  command: process.execPath,
  args: [join(cwd, 'server.mjs')],
  env: { HEIGHT: `\${TREE_HEIGHT:-40 m}` },
};
await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { trees } }));

const server = await startRehearsal({
  scenario: ({ tools, call }) =>
    tools.includes('mcp__trees__height') && call === 1
      ? reply(toolUse('mcp__trees__height', {}, 'toolu_1'))
      : reply(tools.includes('mcp__trees__height') ? 'It is {{results.toolu_1}} high.' : 'I cannot tell.'),
});
async function ask(strictMcpConfig: boolean) {
  for await (const message of query({
    prompt: 'How high is the larch?',
    options: {
      cwd,
      env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
      settingSources: ['project'],
      strictMcpConfig,
      allowedTools: ['mcp__trees'],
      persistSession: false,
    },
  })) {
    if (message.type === 'result' && message.subtype === 'success') return message.result;
  }
  throw new Error('There was no result.');
}
const answers = [await ask(false), await ask(true)];
await server.close();
await rm(cwd, { recursive: true });

assert.deepEqual(answers, ['It is 40 m high.', 'I cannot tell.']);
console.log(answers.join(' '));
