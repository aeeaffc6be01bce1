// A command takes long: the host lets it go on in the background, the model goes on with something else, and hears of
// its end.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const build = 'until [ -e go ]; do sleep 0.05; done; echo it is built';
const server = await startRehearsal({
  scenario: {
    name: 'a long build',
    replies: [
      reply(toolUse('Bash', { command: build, description: 'Build' })),
      reply('It is being built; meanwhile I rest.'),
      reply('It is built.'),
    ],
  },
});

const prompts = new PassThrough({ objectMode: true });
prompts.write({ type: 'user', message: { role: 'user', content: 'Build it.' }, parent_tool_use_id: null });
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

const answers: string[] = [];
let detached = false;
for await (const message of session) {
  // Told each second while a call runs.
  if (message.type === 'tool_progress' && !detached)
    detached = await session.backgroundTasks(message.tool_use_id);
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  answers.push(message.result);
  if (answers.length === 1) await writeFile(join(cwd, 'go'), '');
  else prompts.end();
}
await server.close();
await rm(cwd, { recursive: true });

assert.ok(detached);
assert.deepEqual(answers, ['It is being built; meanwhile I rest.', 'It is built.']);
assert.match(JSON.stringify(server.requests.at(-1)?.body), /it is built/);
console.log(answers.join(' '));
