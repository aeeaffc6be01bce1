// A server that the model starts in the background, and that the host stops.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'a server',
    replies: [
      reply(toolUse('Bash', { command: 'sleep 60', description: 'Serve', run_in_background: true })),
      reply('It serves.'),
      reply('It was stopped.'),
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
    allowedTools: ['Bash(sleep:*)'],
    persistSession: false,
  },
});

ask('Serve the page.');
let running: readonly { readonly task_id: string; readonly description: string }[] = [];
const news: string[] = [];
const answers: string[] = [];
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'background_tasks_changed') {
    running = message.tasks;
    news.push(running.map(({ description }) => description).join() || 'none');
  }
  if (message.type === 'system' && message.subtype === 'task_notification') {
    news.push(message.status);
    ask('Is it still there?'); // the model is told of the end with the next prompt
  }
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  answers.push(message.result);
  if (answers.length === 1) for (const { task_id } of running) await session.stopTask(task_id);
  else prompts.end();
}
await server.close();

assert.equal(news[0], 'Serve');
assert.deepEqual([...news].sort(), ['Serve', 'none', 'stopped']);
assert.match(JSON.stringify(server.requests.at(-1)?.body), /was stopped by the user/);
console.log(answers.join(' '));
