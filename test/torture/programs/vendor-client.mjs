// The conversations of many-sessions.mjs, written by hand with the vendor's client: without a journal, permissions or
// recovery. Prints one line of JSON. Usage:
//   node vendor-client.mjs '{ "url", "sessions" }'
import Anthropic from '@anthropic-ai/sdk';

const { url, sessions } = JSON.parse(process.argv[2]);
const tools = [
  { name: 'fill', description: 'Fills the conversation', input_schema: { type: 'object', properties: {} } },
];

/** Resolves with the number of its turns. */
async function session(n) {
  const client = new Anthropic({ baseURL: `${url}/${n}`, apiKey: 'test' });
  const messages = [{ role: 'user', content: `The task of session ${n}.` }];
  for (let turns = 1; ; turns++) {
    const stream = client.messages.stream({ model: 'claude-sonnet-5', max_tokens: 8000, messages, tools });
    const { content } = await stream.finalMessage();
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return turns;
    messages.push({ role: 'assistant', content });
    messages.push({
      role: 'user',
      content: calls.map(({ id }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: [{ type: 'text', text: `session ${n}` }],
      })),
    });
  }
}

// The first one loads the code.
await session('first');
const startedMs = performance.now();
const turns = await Promise.all(Array.from({ length: sessions }, (_, n) => session(n)));
const ms = performance.now() - startedMs;
console.log(JSON.stringify({ turns: turns.reduce((sum, each) => sum + each, 0), ms }));
