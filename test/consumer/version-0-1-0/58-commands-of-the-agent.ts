// Slash commands that are there without a file: they ask the model nothing. /clear begins another conversation.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

// Knows the tree only when the conversation holds it.
const server = await startRehearsal({
  scenario: ({ lastMessage, body }) =>
    reply(
      lastMessage.includes('needles') || JSON.stringify(body['messages']).includes('A larch.')
        ? 'A larch.'
        : 'Which one do you mean?',
    ),
});
const prompts = new PassThrough({ objectMode: true });
const ask = (content: string) =>
  prompts.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
const texts = ['Which tree sheds its needles?', '/cost', '/clear', 'Which tree was it?'];

const answers: string[] = [];
const sessions = new Set<string>();
let outputs = 0;
ask(texts[0] ?? '');
for await (const message of query({
  prompt: prompts,
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
  },
})) {
  // @ts-expect-error `local_command_output`
  if (message.type === 'system' && message.subtype === 'local_command_output') outputs += 1;
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  answers.push(message.result);
  sessions.add(message.session_id);
  const next = texts[answers.length];
  if (next === undefined) prompts.end();
  else ask(next);
}
await server.close();

assert.equal(server.requests.length, 2);
assert.ok(outputs >= 1);
assert.match(answers[1] ?? '', /\$/);
assert.equal(sessions.size, 2);
assert.deepEqual([answers[0], answers[3]], ['A larch.', 'Which one do you mean?']);
console.log(answers.at(-1));
