// The real engine with a scripted model and a fake tool: no HTTP, no key, every step decided by the test.
import assert from 'node:assert/strict';
import { QueryEngine, type SDKMessage } from 'turnwright';
import { callTool, fakeTool, say, scriptedModel } from 'turnwright/testing';

const model = scriptedModel([callTool('Search', { word: 'loop' }), say('It is in main.ts.')]);
const search = fakeTool({ name: 'Search', answer: 'src/main.ts:12' });
const engine = new QueryEngine({
  cwd: process.cwd(),
  tools: [search],
  allowRules: ['Search'],
  callModel: model.callModel,
});

const messages: SDKMessage[] = [];
for await (const message of engine.submitMessage('Where is the loop?')) messages.push(message);
await engine.close();

model.assertComplete();
assert.equal(search.calls.length, 1);
// What the tool said is what the model was told.
assert.match(JSON.stringify(model.requests[1]?.view), /src\/main\.ts:12/);
const result = messages.at(-1);
assert.ok(result?.type === 'result' && result.subtype === 'success');
assert.equal(result.result, 'It is in main.ts.');
console.log(result.result);
