// What a tool of yours may answer: text, pictures, links, an error; a throw is an error too, and the run goes on.
import assert from 'node:assert/strict';
import { createSdkMcpServer, query, tool } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';
import { z } from 'zod';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const camera = createSdkMcpServer({
  name: 'camera',
  tools: [
    tool('shoot', 'Takes a picture.', { zoom: z.number().max(8).optional() }, async () => ({
      content: [
        { type: 'text', text: 'Taken at noon.' },
        { type: 'image', data: png, mimeType: 'image/png' },
        { type: 'resource_link', uri: 'file:///pictures/noon.png', name: 'noon.png' },
      ],
    })),
    tool('print', 'Prints the picture.', {}, async () => ({
      content: [{ type: 'text', text: 'There is no paper.' }],
      isError: true,
    })),
    tool('post', 'Posts the picture.', {}, async () => {
      throw new Error('The network is down.');
    }),
  ],
});

const server = await startRehearsal({
  scenario: {
    name: 'pictures',
    replies: [
      reply([
        toolUse('mcp__camera__shoot', { zoom: 2 }),
        toolUse('mcp__camera__shoot', { zoom: 99 }), // never reaches the function: the shape says 8 at most
        toolUse('mcp__camera__print'),
        toolUse('mcp__camera__post'),
      ]),
      reply('Taken, but neither printed nor posted.'),
    ],
  },
});
const failed: boolean[] = [];
for await (const message of query({
  prompt: 'Take a picture, print it, post it.',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    mcpServers: { camera },
    allowedTools: ['mcp__camera'],
    tools: [],
    persistSession: false,
  },
})) {
  if (message.type === 'user' && typeof message.message.content !== 'string') {
    for (const block of message.message.content)
      if (block.type === 'tool_result') failed.push(block.is_error === true);
  }
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
await server.close();

assert.deepEqual([...failed].sort(), [false, true, true, true]);
const told = JSON.stringify(server.requests[1]?.body);
for (const part of [png, 'noon.png', 'There is no paper.', 'The network is down.'])
  assert.ok(told.includes(part));
