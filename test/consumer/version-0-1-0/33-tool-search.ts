// Many tools, few tokens: the model sees names alone, and loads those that it needs.
import assert from 'node:assert/strict';
import { createSdkMcpServer, query, tool } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const trees = ['Ash', 'Birch', 'Larch', 'Oak', 'Yew'];
const forest = createSdkMcpServer({
  name: 'forest',
  tools: trees.map((name) =>
    tool(`fell${name}`, `Fells the tree ${name}.`, {}, async () => ({
      content: [{ type: 'text', text: `${name} is down` }],
    })),
  ),
});

const server = await startRehearsal({
  scenario: {
    name: 'one of many',
    replies: [
      reply(toolUse('ToolSearch', { query: 'select:mcp__forest__fellLarch' })),
      reply(toolUse('mcp__forest__fellLarch', {}, 'toolu_2')),
      reply('{{results.toolu_2}}.'),
    ],
  },
});
let answer = '';
for await (const message of query({
  prompt: 'Fell the larch.',
  options: {
    env: {
      ...process.env,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'rehearsal',
      // Always; by default once descriptions would take more than a tenth of the context window.
      ENABLE_TOOL_SEARCH: 'true',
    },
    mcpServers: { forest },
    allowedTools: ['mcp__forest'],
    persistSession: false,
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();

const offered = server.requests.map(({ body }) =>
  ((body as { tools?: { name: string }[] }).tools ?? [])
    .map(({ name }) => name)
    .filter((name) => name.startsWith('mcp__forest')),
);
assert.deepEqual(offered[0], []);
assert.deepEqual(offered[1], ['mcp__forest__fellLarch']);
assert.equal(answer, 'Larch is down.');
console.log(answer);
