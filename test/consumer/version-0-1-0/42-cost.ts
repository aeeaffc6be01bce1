// What a run costs: tokens of each answer, of the run, and by model; what a session has cost so far.
import assert from 'node:assert/strict';
import { query, type SDKResultMessage } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'two answers',
    replies: [
      reply(['I look.', toolUse('Glob', { pattern: '*.none' }), toolUse('Glob', { pattern: '*.nil' })]),
      reply('Nothing there.'),
    ],
  },
});

// An answer comes in parts, one for each block, and each part says what the whole answer used: count ids, not parts.
const inputOf = new Map<string, number>();
let result: SDKResultMessage | undefined;
for await (const message of query({
  prompt: 'Is there anything?',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
  },
})) {
  if (message.type === 'assistant') {
    const { id, usage } = message.message;
    const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
    inputOf.set(id, usage.input_tokens + cached);
  }
  if (message.type === 'result') result = message;
}
await server.close();
assert.ok(result);

const { usage, modelUsage, total_cost_usd } = result;
const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
assert.equal(inputOf.size, 2);
assert.equal(
  [...inputOf.values()].reduce((sum, tokens) => sum + tokens),
  input,
);
let sum = 0;
for (const [model, { inputTokens, outputTokens, cacheReadInputTokens, costUSD }] of Object.entries(
  modelUsage,
)) {
  console.log(
    `${model}: ${inputTokens} in, ${cacheReadInputTokens} cached, ${outputTokens} out, $${costUSD}`,
  );
  sum += costUSD;
}
assert.ok(total_cost_usd > 0 && Math.abs(total_cost_usd - sum) < 1e-9);
