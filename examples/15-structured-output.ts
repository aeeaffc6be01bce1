// A value instead of a text, checked against a schema, and its cost.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';
import { z } from 'zod';

const Tree = z.object({ tree: z.string(), heightM: z.number() });
const server = await startRehearsal({
  scenario: {
    name: 'a value',
    // The first value does not match the schema: the model gets an error result, and tries again.
    replies: [
      reply(toolUse('StructuredOutput', { tree: 'larch' })),
      reply(toolUse('StructuredOutput', { tree: 'larch', heightM: 40 })),
    ],
  },
});

let value: z.infer<typeof Tree> | undefined;
let costUsd = 0;
for await (const message of query({
  prompt: 'Which tree is it?',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    systemPrompt: 'You know trees.',
    // Turnwright takes `Tree` itself as well; this form is the published client's too.
    outputFormat: { type: 'json_schema', schema: z.toJSONSchema(Tree) },
    maxBudgetUsd: 1,
    maxTurns: 5,
    persistSession: false,
  },
})) {
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  value = Tree.parse(message.structured_output);
  costUsd = message.total_cost_usd;
  const parts = Object.values(message.modelUsage).map((usage) => usage.costUSD);
  assert.ok(Math.abs(costUsd - parts.reduce((sum, part) => sum + part, 0)) < 1e-9);
}
await server.close();

assert.deepEqual(value, { tree: 'larch', heightM: 40 });
assert.ok(costUsd > 0);
assert.ok(JSON.stringify(server.requests[0]?.body).includes('You know trees.'));
console.log(value);
