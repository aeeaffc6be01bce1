// Every run ends in one result, and the result says why it stopped.
import assert from 'node:assert/strict';
import { type Options, query, type SDKResultMessage } from 'turnwright';
import { reply, type Scenario, startRehearsal, toolUse } from 'turnwright/rehearsal';

async function resultOf(scenario: Scenario, options: Options = {}): Promise<SDKResultMessage> {
  const server = await startRehearsal({ scenario });
  const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };
  let result: SDKResultMessage | undefined;
  try {
    for await (const message of query({
      prompt: 'Go.',
      options: { env, persistSession: false, ...options },
    })) {
      if (message.type === 'result') result = message;
    }
  } catch {
    // After an error result the stream throws as well; the result has come before.
  } finally {
    await server.close();
  }
  assert.ok(result);
  return result;
}

// The model has said what it had to say.
const done = await resultOf({ name: 'done', replies: [reply('Done.')] });
assert.deepEqual([done.subtype, done.terminal_reason, done.is_error], ['success', 'completed', false]);

// It would go on for ever: the turn limit stops it.
const list = reply([toolUse('Glob', { pattern: '*.md' })], { times: 'any' });
const endless = await resultOf({ name: 'endless', replies: [list] }, { maxTurns: 3 });
assert.deepEqual([endless.subtype, endless.terminal_reason], ['error_max_turns', 'max_turns']);

// It declines: that is an answer, not an error.
const refusal = await resultOf({
  name: 'refusal',
  replies: [reply('I would rather not.', { stop_reason: 'refusal' })],
});
assert.deepEqual(
  [refusal.terminal_reason, refusal.stop_reason, refusal.is_error],
  ['completed', 'refusal', false],
);

// The API refuses for good: a success in shape, an error in fact.
const refused = { name: 'http-status', status: 403 } as const;
const forbidden = await resultOf({
  name: 'forbidden',
  replies: [reply('', { faults: [refused], times: 'any' })],
});
assert.deepEqual(
  [forbidden.subtype, forbidden.terminal_reason, forbidden.is_error],
  ['success', 'api_error', true],
);

for (const result of [done, endless, refusal, forbidden])
  console.log(result.terminal_reason, result.stop_reason);
