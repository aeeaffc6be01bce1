// Sessions as a list: titles, tags, what was said, and what is put away.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  archiveSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  query,
  renameSession,
  tagSession,
} from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const dir = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
process.env['CLAUDE_CONFIG_DIR'] = join(dir, 'home'); // where sessions are kept
const server = await startRehearsal({
  scenario: { name: 'answers', replies: [reply('A tree.', { times: 'any' })] },
});

async function ask(prompt: string, title: string): Promise<string> {
  const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };
  let id = '';
  for await (const message of query({ prompt, options: { cwd: dir, env, title } }))
    if (message.type === 'result') id = message.session_id;
  return id;
}
const larch = await ask('What is a larch?', 'About the larch');
const oak = await ask('What is an oak?', 'About the oak');
await server.close();

await renameSession(larch, 'Larches', { dir });
await tagSession(larch, 'conifers', { dir });
await archiveSession(oak, { dir });

const info = await getSessionInfo(larch, { dir });
assert.deepEqual([info?.summary, info?.tag, info?.firstPrompt], ['Larches', 'conifers', 'What is a larch?']);
const messages = await getSessionMessages(larch, { dir, limit: 10 });
assert.deepEqual(
  messages.map(({ type }) => type),
  ['user', 'assistant'],
);
const listed = await listSessions({ dir, limit: 10 });
await rm(dir, { recursive: true });

assert.deepEqual(listed.map(({ sessionId }) => sessionId).sort(), [larch, oak].sort());
assert.equal(listed.find(({ sessionId }) => sessionId === oak)?.archived, true);
for (const { summary, tag, archived } of listed)
  console.log(summary, tag ?? '', archived ? '(put away)' : '');
