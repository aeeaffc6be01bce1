// What the model is doing, in its own words: its list of things to do, as it changes.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const list = (...states: readonly string[]) =>
  toolUse('TodoWrite', {
    todos: [
      { content: 'Find the bug', status: states[0], activeForm: 'Finding the bug' },
      { content: 'Mend it', status: states[1], activeForm: 'Mending it' },
    ],
  });
const server = await startRehearsal({
  scenario: {
    name: 'two things',
    replies: [
      reply(list('in_progress', 'pending')),
      reply(list('completed', 'in_progress')),
      reply(list('completed', 'completed')),
      reply('Mended.'),
    ],
  },
});

const shown: string[] = [];
for await (const message of query({
  prompt: 'Mend the bug.',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
  },
})) {
  if (message.type !== 'assistant') continue;
  for (const block of message.message.content) {
    if (block.type !== 'tool_use' || block.name !== 'TodoWrite') continue;
    const { todos } = block.input as { todos: { content: string; status: string; activeForm: string }[] };
    const done = todos.filter(({ status }) => status === 'completed').length;
    const now = todos.find(({ status }) => status === 'in_progress');
    shown.push(`${done}/${todos.length} ${now?.activeForm ?? 'Done'}`);
  }
}
await server.close();

assert.deepEqual(shown, ['0/2 Finding the bug', '1/2 Mending it', '2/2 Done']);
console.log(shown.join('\n'));
