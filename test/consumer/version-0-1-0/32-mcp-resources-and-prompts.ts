// What else MCP servers bring: resources that the model reads, prompts that are slash commands, instructions.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const http = createServer(async (request, response) => {
  const garden = new McpServer(
    { name: 'garden', version: '1.0.0' },
    { instructions: 'Water before you count.' },
  );
  garden.registerResource('diary', 'diary://today', { description: 'Today.' }, async ({ href }) => ({
    contents: [{ uri: href, text: 'The larch was planted.' }],
  }));
  garden.registerPrompt('water', { description: 'Waters the garden.' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Water, then read the diary.' } }],
  }));
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await garden.connect(transport as Parameters<typeof garden.connect>[0]);
  await transport.handleRequest(request, response);
});
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;

const model = await startRehearsal({
  scenario: {
    name: 'the garden',
    replies: [
      reply(toolUse('ListMcpResourcesTool', {})),
      reply(toolUse('ReadMcpResourceTool', { server: 'garden', uri: 'diary://today' })),
      reply('Today the larch was planted.'),
    ],
  },
});
let answer = '';
for await (const message of query({
  prompt: '/mcp__garden__water',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'rehearsal' },
    mcpServers: { garden: { type: 'http', url } },
    persistSession: false,
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await model.close();
http.close();

const [first = '', second = '', third = ''] = model.requests.map(({ body }) => JSON.stringify(body));
assert.ok(first.includes('Water, then read the diary.') && first.includes('Water before you count.'));
assert.ok(second.includes('diary://today'));
assert.ok(third.includes('The larch was planted.'));
assert.equal(answer, 'Today the larch was planted.');
console.log(answer);
