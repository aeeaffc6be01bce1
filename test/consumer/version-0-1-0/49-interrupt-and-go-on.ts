// Stop the model in the middle of an answer, and say what you want instead: the session goes on.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'talkative',
    replies: [
      reply(['Well.', 'word '.repeat(600)], { timing: { gapMs: 100, deltaChars: 5 } }),
      reply('In short: yes.'),
    ],
  },
});

const prompts = new PassThrough({ objectMode: true });
const ask = (content: string) =>
  prompts.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
const session = query({
  prompt: prompts,
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
  },
});

ask('Is it a larch?');
const reasons: unknown[] = [];
let answer = '';
for await (const message of session) {
  // Not waited for: its receipt comes through the stream that this loop reads.
  if (message.type === 'assistant' && reasons.length === 0) void session.interrupt();
  if (message.type !== 'result') continue;
  reasons.push(message.terminal_reason);
  if (message.subtype === 'success') answer = message.result;
  if (reasons.length === 1) ask('In short, please.');
  else prompts.end();
}
await server.close();

assert.deepEqual(reasons, ['aborted_streaming', 'completed']);
assert.match(JSON.stringify(server.requests.at(-1)?.body), /Request interrupted by user/);
assert.equal(answer, 'In short: yes.');
console.log(answer);
