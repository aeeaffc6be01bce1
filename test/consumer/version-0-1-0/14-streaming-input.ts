// A conversation that stays open: prompts as they come, the answer as it is written, another model in between.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: { name: 'two prompts', replies: [reply('It is a larch.'), reply('Because of its needles.')] },
});

let ask = (_: string | undefined) => {};
async function* prompts() {
  for (let text: string | undefined = 'Which tree is it?'; text !== undefined; ) {
    yield {
      type: 'user' as const,
      message: { role: 'user' as const, content: text },
      parent_tool_use_id: null,
    };
    text = await new Promise<string | undefined>((resolve) => {
      ask = resolve;
    });
  }
}

const answers: string[] = [];
let written = '';
const conversation = query({
  prompt: prompts(),
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    model: 'opus',
    includePartialMessages: true,
    persistSession: false,
  },
});
for await (const message of conversation) {
  if (message.type === 'stream_event' && message.event.type === 'content_block_delta') {
    if (message.event.delta.type === 'text_delta') written += message.event.delta.text;
  }
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  answers.push(message.result);
  await conversation.setModel('haiku');
  ask(answers.length === 1 ? 'How do you know?' : undefined);
}
await server.close();

assert.deepEqual(answers, ['It is a larch.', 'Because of its needles.']);
assert.equal(written, answers.join(''));
const models = server.requests
  .filter(({ path }) => path === '/v1/messages')
  .map(({ body }) => (body as { readonly model: string }).model);
assert.match(models[0] ?? '', /opus/);
assert.match(models[1] ?? '', /haiku/);
console.log(answers.join(' '));
