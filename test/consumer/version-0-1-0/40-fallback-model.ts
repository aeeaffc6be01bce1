// When a model is overloaded, another one takes over; the first is asked again with the next prompt.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: ({ model }) =>
    model.includes('opus')
      ? reply('', { faults: [{ name: 'http-status', status: 529, retryAfter: '0' }] })
      : reply('At your service.'),
});

let answer = '';
const answered: string[] = [];
for await (const message of query({
  prompt: 'Are you there?',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    model: 'opus',
    fallbackModel: 'haiku', // or a list: 'sonnet,haiku'
    persistSession: false,
  },
})) {
  if (message.type === 'assistant') answered.push(message.message.model);
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();

assert.equal(answer, 'At your service.');
assert.match(answered.join(), /haiku/);
const asked = server.requests.map(({ body }) => (body as { readonly model: string }).model);
assert.match(asked[0] ?? '', /opus/);
console.log(`${asked.length} requests; answered by ${answered.join()}`);
