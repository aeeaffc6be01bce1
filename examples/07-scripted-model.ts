// The real loop with a scripted model: no network, no clock, every step decided by the test.
import assert from 'node:assert/strict';
import { QueryEngine, type SDKMessage } from 'turnwright';
import { callTool, say, scriptedModel, virtualClock } from 'turnwright/testing';

const model = scriptedModel([callTool('Glob', { pattern: 'package.json' }), say('There is a package here.')]);
const engine = new QueryEngine({
  cwd: process.cwd(),
  tools: [],
  callModel: model.call,
  clock: virtualClock(),
});

const messages: SDKMessage[] = [];
for await (const message of engine.submitMessage('What is in this folder?')) messages.push(message);
await engine.close();

const result = messages.at(-1);
assert.ok(result?.type === 'result' && result.subtype === 'success');
assert.equal(result.result, 'There is a package here.');
assert.equal(model.requests.length, 2);
console.log(result.result);
