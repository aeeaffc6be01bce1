// One question, one answer, one result.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

// A Messages API on this machine takes the real one's place, so this runs without a key.
const server = await startRehearsal({ scenario: { name: 'capital', replies: [reply('Paris.')] } });
const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };

let answer = '';
for await (const message of query({
  prompt: 'What is the capital of France?',
  options: { env, persistSession: false },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();

assert.equal(answer, 'Paris.');
console.log(answer);
