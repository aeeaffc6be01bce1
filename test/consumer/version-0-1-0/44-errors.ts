// When it goes wrong: retries are told of, errors are results, and then the stream throws.
import assert from 'node:assert/strict';
import { query, type SDKMessage } from 'turnwright';
import { type Fault, reply, startRehearsal } from 'turnwright/rehearsal';

async function run(fault: Fault, resume?: string) {
  const server = await startRehearsal({
    scenario: { name: 'a fault', replies: [reply('Made it.', { faults: [fault], times: 'any' })] },
  });
  const messages: SDKMessage[] = [];
  let thrown: unknown;
  try {
    for await (const message of query({
      prompt: 'Try.',
      options: {
        env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
        ...(resume === undefined ? { persistSession: false } : { resume }),
      },
    }))
      messages.push(message);
  } catch (error) {
    thrown = error;
  }
  await server.close();
  const result = messages.find((message) => message.type === 'result');
  assert.ok(result, 'one result comes in any case');
  return { messages, result, thrown };
}

// A server that was busy for a moment: nobody has to do anything.
const busy = await run({ name: 'http-status', status: 529, retryAfter: '0', times: 1 });
const retry = busy.messages.find((message) => message.type === 'system' && message.subtype === 'api_retry');
assert.ok(retry && busy.result.subtype === 'success' && busy.thrown === undefined);

// A key that is no good: an error that says which, a result that is an error, an exception.
const locked = await run({ name: 'http-status', status: 401 });
const told = locked.messages.find((message) => message.type === 'assistant');
assert.equal(told?.error, 'authentication_failed');
assert.equal(locked.result.is_error, true);
assert.ok(locked.thrown instanceof Error);

// A session that nobody knows: the same, before anything was sent.
const unknown = await run({ name: 'http-status', status: 500 }, '22222222-2222-4222-8222-222222222222');
assert.equal(unknown.result.subtype, 'error_during_execution');
assert.ok(unknown.thrown instanceof Error);

for (const { result, thrown } of [busy, locked, unknown])
  console.log(result.subtype, result.is_error, thrown instanceof Error);
