// A picture in the prompt: prompts are messages, and messages hold blocks.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal({ scenario: { name: 'a dot', replies: [reply('A single dot.')] } });

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
async function* prompts() {
  yield {
    type: 'user' as const,
    parent_tool_use_id: null,
    message: {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text: 'What is in this picture?' },
        {
          type: 'image' as const,
          source: { type: 'base64' as const, media_type: 'image/png' as const, data: png },
        },
      ],
    },
  };
}

let answer = '';
for await (const message of query({
  prompt: prompts(),
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();

assert.ok(JSON.stringify(server.requests[0]?.body).includes(png));
assert.equal(answer, 'A single dot.');
console.log(answer);
