// An MCP server asks a person something in the middle of a call; the host fills in the form.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const shop = new McpServer({ name: 'shop', version: '1.0.0' });
shop.registerTool('order', { description: 'Orders a coat.' }, async () => {
  const { action, content } = await shop.server.elicitInput({
    message: 'Which size?',
    requestedSchema: {
      type: 'object',
      properties: { size: { type: 'string', enum: ['S', 'M', 'L'] } },
      required: ['size'],
    },
  });
  const text = action === 'accept' ? `Ordered in ${content?.['size']}.` : 'Nothing was ordered.';
  return { content: [{ type: 'text', text }] };
});
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
await shop.connect(transport as Parameters<typeof shop.connect>[0]);
const http = createServer((request, response) => transport.handleRequest(request, response));
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));

const model = await startRehearsal({
  scenario: {
    name: 'a coat',
    replies: [reply(toolUse('mcp__shop__order', {}, 'toolu_1')), reply('{{results.toolu_1}}')],
  },
});
const questions: string[] = [];
let answer = '';
for await (const message of query({
  prompt: 'Order me a coat.',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'rehearsal' },
    mcpServers: {
      shop: { type: 'http', url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` },
    },
    allowedTools: ['mcp__shop__order'],
    persistSession: false,
    // Without it every question is declined.
    onElicitation: async ({ serverName, message: question }) => {
      questions.push(`${serverName}: ${question}`);
      return { action: 'accept', content: { size: 'M' } };
    },
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await model.close();
http.closeAllConnections();
http.close();

assert.deepEqual(questions, ['shop: Which size?']);
assert.equal(answer, 'Ordered in M.');
console.log(answer);
