// An agent of the host's own digs, a command goes on in the background, and its end is news for the model.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const wash = 'until [ -e water ]; do sleep 0.05; done; echo washed';
const dig = { description: 'dig', prompt: 'Dig for gold.', subagent_type: 'digger' };
const server = await startRehearsal({
  scenario: {
    name: 'digging',
    replies: [
      reply(toolUse('Agent', dig)),
      reply('There is gold.'),
      reply(toolUse('Bash', { command: wash, run_in_background: true })),
      reply('It is being washed.'),
      reply('It is washed.'),
    ],
  },
});

const ended: string[] = [];
const answers: string[] = [];
let nested = 0;
for await (const message of query({
  prompt: 'Find gold and wash it.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    agents: { digger: { description: 'Digs.', prompt: 'You dig.', tools: ['Read'] } },
    allowedTools: ['Bash'],
    forwardSubagentText: true,
    persistSession: false,
  },
})) {
  if (message.type === 'assistant' && message.parent_tool_use_id !== null) nested += 1;
  if (message.type === 'system' && message.subtype === 'task_notification') ended.push(message.status);
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  answers.push(message.result);
  if (answers.length === 1) await writeFile(join(cwd, 'water'), '');
}
await server.close();
await rm(cwd, { recursive: true });

assert.equal(nested, 1);
assert.ok(ended.includes('completed'));
assert.deepEqual(answers, ['It is being washed.', 'It is washed.']);
console.log(ended.join(', '));
