// What the model writes while it writes: thinking, text, and the input of a call, piece by piece.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal, text, thinking, toolUse } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'piece by piece',
    replies: [
      reply(
        [thinking('Which files are there?'), text('I look around.'), toolUse('Glob', { pattern: '*.none' })],
        { timing: { deltaChars: 8 } },
      ),
      reply('There are none of that kind.'),
    ],
  },
});

const written = { thinking: '', text: '', input: '' };
let pieces = 0;
let wholeTexts = '';
for await (const message of query({
  prompt: 'Are there any .none files?',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    includePartialMessages: true,
    thinking: { type: 'adaptive', display: 'summarized' },
    persistSession: false,
  },
})) {
  if (message.type === 'stream_event' && message.event.type === 'content_block_delta') {
    const { delta } = message.event;
    pieces += 1;
    if (delta.type === 'thinking_delta') written.thinking += delta.thinking;
    if (delta.type === 'text_delta') written.text += delta.text;
    if (delta.type === 'input_json_delta') written.input += delta.partial_json;
  }
  // Each block also comes whole, once it is finished.
  if (message.type === 'assistant') {
    for (const block of message.message.content) if (block.type === 'text') wholeTexts += block.text;
  }
}
await server.close();

assert.equal(written.thinking, 'Which files are there?');
assert.equal(written.text, wholeTexts);
assert.deepEqual(JSON.parse(written.input), { pattern: '*.none' });
assert.ok(pieces > 8);
console.log(`${pieces} pieces: ${written.text}`);
