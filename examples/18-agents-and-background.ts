// An agent of the host's own digs, a command goes on in the background, and its end is news for the model.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const dig = { description: 'dig', prompt: 'Dig for gold.', subagent_type: 'digger' };
const server = await startRehearsal({
  scenario: {
    name: 'digging',
    replies: [
      reply(toolUse('Agent', dig)),
      reply('There is gold.'),
      reply(toolUse('Bash', { command: 'echo washed', run_in_background: true })),
      reply('It is being washed.'),
      reply('It is washed.', { when: { kind: 'any' } }),
    ],
  },
});

const ended: string[] = [];
const answers: string[] = [];
let nested = 0;
for await (const message of query({
  prompt: 'Find gold and wash it.',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    agents: { digger: { description: 'Digs.', prompt: 'You dig.', tools: ['Read'] } },
    allowedTools: ['Bash(echo:*)'],
    forwardSubagentText: true,
    persistSession: false,
  },
})) {
  if (message.type === 'assistant' && message.parent_tool_use_id !== null) nested += 1;
  if (message.type === 'system' && message.subtype === 'task_notification') ended.push(message.status);
  if (message.type === 'result' && message.subtype === 'success') answers.push(message.result);
}
await server.close();

assert.equal(nested, 1);
assert.ok(ended.includes('completed'));
assert.match(answers.at(-1) ?? '', /washed/);
console.log(ended.join(', '));
