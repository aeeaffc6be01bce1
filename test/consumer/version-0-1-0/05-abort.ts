// Three ways to end early: interrupt (a result comes), abort (it throws), leaving the loop (silence).
import assert from 'node:assert/strict';
import { AbortError, query, type SDKResultMessage } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

// A model that would talk for a minute.
const slow = reply('word '.repeat(600), { timing: { gapMs: 100, deltaChars: 5 }, times: 'any' });
const server = await startRehearsal({ scenario: { name: 'slow', replies: [slow] } });
const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };
const options = { env, persistSession: false, includePartialMessages: true };

// 1. interrupt(): what a person does with Esc. The run still ends in its result.
let result: SDKResultMessage | undefined;
const interrupted = query({ prompt: 'Talk.', options });
try {
  for await (const message of interrupted) {
    if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
      await interrupted.interrupt();
    if (message.type === 'result') result = message;
  }
} catch {
  // The result was an error, so the stream throws once it is over.
}
assert.equal(result?.terminal_reason, 'aborted_streaming');

// 2. abortController: no result, the iterator throws AbortError.
const abortController = new AbortController();
await assert.rejects(async () => {
  for await (const message of query({ prompt: 'Talk.', options: { ...options, abortController } })) {
    if (message.type === 'stream_event') abortController.abort();
  }
}, AbortError);

// 3. break: the iterator's return() ends everything, also while the model is silent.
for await (const message of query({ prompt: 'Talk.', options })) {
  if (message.type === 'stream_event') break;
}
await server.close();
console.log('interrupted, aborted, left');
