// An MCP server over HTTP, with a header of its own; servers come and go while the session runs.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createSdkMcpServer, query, tool } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

// The server: one tool, and only for those who know the word.
const http = createServer(async (request, response) => {
  if (request.headers.authorization !== 'Bearer larch') return response.writeHead(403).end();
  const trees = new McpServer({ name: 'trees', version: '1.0.0' });
  trees.registerTool('height', { description: 'Says how high a tree is.' }, async () => ({
    content: [{ type: 'text', text: '40 m' }],
  }));
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await trees.connect(transport as Parameters<typeof trees.connect>[0]);
  await transport.handleRequest(request, response);
});
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;

const model = await startRehearsal({
  scenario: {
    name: 'a tree',
    replies: [
      reply(toolUse('mcp__trees__height', {}, 'toolu_1')),
      reply('It is {{results.toolu_1}} high.'),
      reply(toolUse('mcp__birds__count', {}, 'toolu_2')),
      reply('There are {{results.toolu_2}} of them.'),
    ],
  },
});
const birds = createSdkMcpServer({
  name: 'birds',
  tools: [tool('count', 'Counts birds.', {}, async () => ({ content: [{ type: 'text', text: 'seven' }] }))],
});

const prompts = new PassThrough({ objectMode: true });
const ask = (content: string) =>
  prompts.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
const session = query({
  prompt: prompts,
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'rehearsal' },
    mcpServers: { trees: { type: 'http', url, headers: { authorization: 'Bearer larch' } } },
    allowedTools: ['mcp__trees', 'mcp__birds'],
    tools: [],
    persistSession: false,
  },
});

ask('How high is the larch?');
const answers: string[] = [];
for await (const message of session) {
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  answers.push(message.result);
  if (answers.length === 2) {
    prompts.end();
    continue;
  }
  const [status] = await session.mcpServerStatus();
  assert.deepEqual(
    [status?.name, status?.status, status?.tools?.[0]?.name],
    ['trees', 'connected', 'height'],
  );
  const { added } = await session.setMcpServers({ birds });
  assert.deepEqual(added, ['birds']);
  await session.toggleMcpServer('trees', false);
  ask('How many birds are in it?');
}
await model.close();
http.close();

const offered = model.requests.map(({ body }) => JSON.stringify((body as { tools?: unknown }).tools ?? []));
assert.ok(offered[0]?.includes('mcp__trees__height'));
assert.ok(!offered[2]?.includes('mcp__trees__height') && offered[2]?.includes('mcp__birds__count'));
assert.deepEqual(answers, ['It is 40 m high.', 'There are seven of them.']);
console.log(answers.join(' '));
