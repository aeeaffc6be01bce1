// A function of yours as a tool of the model.
import assert from 'node:assert/strict';
import { createSdkMcpServer, query, tool } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';
import { z } from 'zod';

const asked: string[] = [];
const weather = tool(
  'forecast',
  'Tells the weather of a city.',
  { city: z.string() },
  async ({ city }) => {
    asked.push(city);
    return { content: [{ type: 'text', text: `${city}: 18 degrees, rain` }] };
  },
  { annotations: { readOnlyHint: true } },
);

const server = await startRehearsal({
  scenario: {
    name: 'weather',
    replies: [
      reply(['I look it up.', toolUse('mcp__weather__forecast', { city: 'Oslo' }, 'toolu_look')]),
      reply('Take a coat: {{results.toolu_look}}.'),
    ],
  },
});

let answer = '';
for await (const message of query({
  prompt: 'Do I need a coat in Oslo?',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    mcpServers: { weather: createSdkMcpServer({ name: 'weather', tools: [weather] }) },
    allowedTools: ['mcp__weather__forecast'],
    persistSession: false,
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();

assert.deepEqual(asked, ['Oslo']);
assert.equal(answer, 'Take a coat: Oslo: 18 degrees, rain.');
console.log(answer);
