// What a project and a plugin bring: a slash command of a file, a command of a plugin, an MCP server that is started.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const write = async (path: string, content: string) => {
  await mkdir(join(cwd, path, '..'), { recursive: true });
  await writeFile(join(cwd, path), content);
};
await write(
  '.claude/commands/name.md',
  '---\ndescription: Names a tree.\n---\n\nName this tree: $ARGUMENTS\n',
);
await write('wood/.claude-plugin/plugin.json', '{"name":"wood"}');
await write('wood/commands/fell.md', '---\ndescription: Fells a tree.\n---\n\nFell it.\n');
// A server speaks JSON-RPC, one message a line.
await write(
  'server.mjs',
  `import { createInterface } from 'node:readline';
const tool = { name: 'height', description: 'Says how high.', inputSchema: { type: 'object' } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'trees', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: '40 m' }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
}
`,
);

const server = await startRehearsal({
  scenario: {
    name: 'a tree',
    replies: [reply(toolUse('mcp__trees__height', {}, 'toolu_1')), reply('A larch of {{results.toolu_1}}.')],
  },
});
let answer = '';
let commands: readonly string[] = [];
for await (const message of query({
  prompt: '/name needles, and cones',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    settingSources: ['project'],
    plugins: [{ type: 'local', path: join(cwd, 'wood') }],
    mcpServers: { trees: { command: process.execPath, args: [join(cwd, 'server.mjs')] } },
    allowedTools: ['mcp__trees__height'],
    persistSession: false,
  },
})) {
  if (message.type === 'system' && message.subtype === 'init') commands = message.slash_commands;
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();
await rm(cwd, { recursive: true });

assert.ok(commands.includes('name') && commands.includes('wood:fell'));
assert.ok(JSON.stringify(server.requests[0]?.body).includes('Name this tree: needles, and cones'));
assert.equal(answer, 'A larch of 40 m.');
console.log(answer);
