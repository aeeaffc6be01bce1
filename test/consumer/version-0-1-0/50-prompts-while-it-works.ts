// Prompts that come while the model works: one joins the turn, one waits for its own, one only adds to the conversation.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
const server = await startRehearsal({
  scenario: {
    name: 'busy',
    replies: [
      reply(toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.05; done' })),
      reply('Built, with the larch in mind.'),
      reply('And tested.'),
    ],
  },
});

const prompts = new PassThrough({ objectMode: true });
const ask = (content: string, more: object = {}) =>
  prompts.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
const session = query({
  prompt: prompts,
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    persistSession: false,
  },
});

ask('The forest is in the north.', { shouldQuery: false });
ask('Build it.');
const answers: string[] = [];
for await (const message of session) {
  const isWorking = message.type === 'assistant' && message.message.content[0]?.type === 'tool_use';
  if (isWorking && !existsSync(join(cwd, 'go'))) {
    ask('Mind the larch.');
    ask('Test it.', { priority: 'later' });
    // Answered after the prompts were taken; then the command may end.
    void session.mcpServerStatus().then(() => writeFileSync(join(cwd, 'go'), ''));
  }
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  answers.push(message.result);
  if (answers.length === 2) prompts.end();
}
await server.close();
rmSync(cwd, { recursive: true });

const [first, second, third] = server.requests.map(({ body }) => JSON.stringify(body));
assert.ok(first?.includes('The forest is in the north.'));
assert.ok(second?.includes('Mind the larch.') && !second.includes('Test it.'));
assert.ok(third?.includes('Test it.'));
assert.deepEqual(answers, ['Built, with the larch in mind.', 'And tested.']);
console.log(answers.join(' '));
