// Two agents side by side, each with a conversation of its own; the main one sees their reports alone. One runs into its
// turn limit: its result says so, with what it had found. Scripted, so no key and no network.
import assert from 'node:assert/strict';
import { type CallModel, QueryEngine, type SDKMessage } from 'turnwright';
import { callTool, fakeTool, reply, say, scriptedModel } from 'turnwright/testing';

const start = (who: string) =>
  callTool('Agent', { description: `ask ${who}`, prompt: 'Where is the loop?', subagent_type: who });
const models = {
  main: scriptedModel([reply([start('finder'), start('dreamer')]), say('It is in main.ts.')]),
  'agent:finder': scriptedModel([callTool('Search'), say('In src/main.ts:12.')]),
  'agent:dreamer': scriptedModel([reply([say('Perhaps in lib.'), callTool('Search')])]),
};
const callModel: CallModel = (request, options) =>
  models[request.querySource as keyof typeof models].callModel(request, options);

const engine = new QueryEngine({
  cwd: process.cwd(),
  tools: [fakeTool({ name: 'Search', answer: 'src/main.ts:12' })],
  allowRules: ['Search'],
  agents: [
    { name: 'finder', description: 'Finds code.', prompt: 'You find code.' },
    { name: 'dreamer', description: 'Guesses.', prompt: 'You guess.', maxTurns: 1 },
  ],
  callModel,
});

const messages: SDKMessage[] = [];
for await (const message of engine.submitMessage('Where is the loop?')) messages.push(message);
await engine.close();

const told = JSON.stringify(models.main.requests[1]?.view);
assert.match(told, /In src\/main\.ts:12\./);
assert.match(told, /did not complete \(max_turns\).*Perhaps in lib\./);
for (const message of messages)
  if (message.type === 'assistant' && message.subagent_type !== undefined)
    console.log(
      `${message.subagent_type} calls ${message.message.content.map((block) => 'name' in block && block.name)}`,
    );
const result = messages.at(-1);
assert.ok(result?.type === 'result' && result.subtype === 'success');
console.log(result.result);
