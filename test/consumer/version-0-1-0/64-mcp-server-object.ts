// An MCP server that lives in this process: an object of the MCP SDK, with a prompt, a resource and a question.
import assert from 'node:assert/strict';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const garden = new McpServer({ name: 'garden', version: '1.0.0' });
garden.registerPrompt('plan', { description: 'Plans the garden.' }, () => ({
  messages: [{ role: 'user', content: { type: 'text', text: 'Read the diary, then plant a tree.' } }],
}));
garden.registerResource('diary', 'diary://today', { description: 'Today.' }, async ({ href }) => ({
  contents: [{ uri: href, text: 'There is room in the north.' }],
}));
garden.registerTool('plant', { description: 'Plants a tree.' }, async () => {
  const { content } = await garden.server.elicitInput({
    message: 'Which tree?',
    requestedSchema: { type: 'object', properties: { tree: { type: 'string' } } },
  });
  return { content: [{ type: 'text', text: `Planted a ${content?.['tree']}.` }] };
});

const model = await startRehearsal({
  scenario: {
    name: 'the garden',
    replies: [
      reply(toolUse('ReadMcpResourceTool', { server: 'garden', uri: 'diary://today' })),
      reply(toolUse('mcp__garden__plant', {}, 'toolu_1')),
      reply('{{results.toolu_1}}'),
    ],
  },
});
let answer = '';
for await (const message of query({
  prompt: '/mcp__garden__plan',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'rehearsal' },
    mcpServers: { garden: { type: 'sdk', name: 'garden', instance: garden } },
    allowedTools: ['mcp__garden'],
    persistSession: false,
    onElicitation: async () => ({ action: 'accept', content: { tree: 'larch' } }),
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await model.close();

const [first = '', second = ''] = model.requests.map(({ body }) => JSON.stringify(body));
assert.ok(first.includes('Read the diary, then plant a tree.'));
assert.ok(second.includes('There is room in the north.'));
assert.equal(answer, 'Planted a larch.');
console.log(answer);
