// What needs no question and what is out of the question: rules, and a mode that changes while the session runs.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const bash = (command: string) => toolUse('Bash', { command });
const write = toolUse('Write', { file_path: join(cwd, 'notes.txt'), content: 'Hello.\n' });
const server = await startRehearsal({
  scenario: {
    name: 'three calls, and one again',
    replies: [
      reply([bash('mkdir build'), bash('rm -rf build'), write]),
      reply('Only the folder.'),
      reply(write),
      reply('And now the file.'),
    ],
  },
});

const prompts = new PassThrough({ objectMode: true });
const ask = (content: string) =>
  prompts.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
const session = query({
  prompt: prompts,
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    allowedTools: ['Bash(mkdir:*)'],
    disallowedTools: ['Bash(rm:*)', 'WebFetch'],
    permissionMode: 'dontAsk', // what no rule allows is denied, and nobody is asked
    persistSession: false,
  },
});

ask('Make a folder, remove it, write a note.');
const denied: string[][] = [];
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') assert.ok(!message.tools.includes('WebFetch'));
  if (message.type !== 'result') continue;
  denied.push(message.permission_denials.map(({ tool_name }) => tool_name));
  if (denied.length === 2) {
    prompts.end();
    continue;
  }
  await session.setPermissionMode('acceptEdits');
  ask('Write the note now.');
}
await server.close();

assert.deepEqual(denied, [['Bash', 'Write'], []]);
assert.ok(existsSync(join(cwd, 'build')) && existsSync(join(cwd, 'notes.txt')));
await rm(cwd, { recursive: true });
console.log(`first denied: ${denied[0]?.join(', ')}; then nothing`);
