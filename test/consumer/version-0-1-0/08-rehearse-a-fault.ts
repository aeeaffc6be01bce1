// What does my agent do when the API is overloaded and then the connection breaks? Find out before it happens.
import assert from 'node:assert/strict';
import { query, type SDKMessage } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'a bad day',
    replies: [
      reply('All of it arrived.', {
        // The first two deliveries are struck, the third one comes whole.
        faults: [
          { name: 'http-status', status: 529, times: 1 },
          { name: 'reset-after-events', after: 3, times: 2 },
        ],
      }),
    ],
  },
});

const messages: SDKMessage[] = [];
for await (const message of query({
  prompt: 'Say something.',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
  },
})) {
  messages.push(message);
}
const { unusedReplies, rejected } = server.report();
await server.close();

const retries = messages.filter((message) => message.type === 'system' && message.subtype === 'api_retry');
const result = messages.at(-1);
assert.ok(retries.length >= 1);
assert.ok(result?.type === 'result' && result.subtype === 'success');
assert.equal(result.result, 'All of it arrived.');
assert.equal(result.is_error, false);
// The judge found nothing wrong with any request, and the scenario was played to its end.
assert.deepEqual([unusedReplies, rejected], [[], []]);
console.log(`${server.requests.length} requests, ${retries.length} retries, one answer`);
