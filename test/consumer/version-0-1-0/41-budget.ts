// A run that may cost so much and no more.
import assert from 'node:assert/strict';
import { query, type SDKResultMessage } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'dear',
    // As often as it is asked, and each time with a great many tokens.
    replies: [
      reply(toolUse('Glob', { pattern: '*.md' }), { times: 'any', usage: { output_tokens: 20_000 } }),
    ],
  },
});

let result: SDKResultMessage | undefined;
try {
  for await (const message of query({
    prompt: 'Look for markdown until you drop.',
    options: {
      env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
      maxBudgetUsd: 1,
      persistSession: false,
    },
  })) {
    if (message.type === 'result') result = message;
  }
} catch {
  // After an error result the stream throws as well; the result has come before.
}
await server.close();

assert.equal(result?.subtype, 'error_max_budget_usd');
assert.ok(result.total_cost_usd >= 1);
console.log(`stopped at $${result.total_cost_usd.toFixed(2)}, after ${server.requests.length} requests`);
