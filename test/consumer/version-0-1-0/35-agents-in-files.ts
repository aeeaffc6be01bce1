// Agents that a project defines in files, one of them as the main thread.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
await mkdir(join(cwd, '.claude/agents'), { recursive: true });
await writeFile(
  join(cwd, '.claude/agents/poet.md'),
  '---\nname: poet\ndescription: Writes verse.\ntools: Read\nmodel: haiku\n---\nYou speak in verse.\n',
);

const server = await startRehearsal({ scenario: { name: 'verse', replies: [reply('Larch, so tall.')] } });
const session = query({
  prompt: 'Say something about the larch.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    settingSources: ['project'],
    agents: { critic: { description: 'Finds fault with verse.', prompt: 'You are hard to please.' } },
    agent: 'poet',
    persistSession: false,
  },
});
const agents = (await session.supportedAgents()).map(({ name }) => name);
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') {
    assert.deepEqual(message.tools, ['Read']);
    assert.match(message.model, /haiku/);
  }
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
await server.close();
await rm(cwd, { recursive: true });

for (const name of ['poet', 'critic', 'general-purpose']) assert.ok(agents.includes(name));
assert.ok(JSON.stringify(server.requests[0]?.body).includes('You speak in verse.'));
