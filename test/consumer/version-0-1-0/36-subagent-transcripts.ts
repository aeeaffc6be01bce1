// Two agents at once, whose words are shown as they work, and whose conversations can be read afterwards.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSubagentMessages, listSubagents, query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
process.env['CLAUDE_CONFIG_DIR'] = join(cwd, 'home'); // where sessions are kept

const send = (who: string) =>
  toolUse('Agent', {
    description: `ask ${who}`,
    prompt: `You are ${who}. Look around.`,
    subagent_type: 'scout',
  });
const server = await startRehearsal({
  scenario: ({ lastMessage, firstUserMessage }) => {
    if (firstUserMessage.includes('You are Ada')) return reply('A larch.');
    if (firstUserMessage.includes('You are Bob')) return reply('A pond.');
    return lastMessage.includes('Explore') ? reply([send('Ada'), send('Bob')]) : reply('A larch and a pond.');
  },
});

const said: string[] = [];
let sessionId = '';
for await (const message of query({
  prompt: 'Explore the garden.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    agents: { scout: { description: 'Looks around.', prompt: 'You tell what you see.', tools: ['Read'] } },
    forwardSubagentText: true,
  },
})) {
  sessionId = message.session_id ?? sessionId;
  // Whoever speaks names the call that started it; for the main thread that is null.
  if (message.type === 'assistant' && message.parent_tool_use_id !== null) {
    for (const block of message.message.content) if (block.type === 'text') said.push(block.text);
  }
}
await server.close();

const ids = await listSubagents(sessionId, { dir: cwd });
const transcripts = await Promise.all(ids.map((id) => getSubagentMessages(sessionId, id, { dir: cwd })));
await rm(cwd, { recursive: true });

assert.deepEqual([...said].sort(), ['A larch.', 'A pond.']);
assert.equal(ids.length, 2);
for (const messages of transcripts)
  assert.deepEqual(
    messages.map(({ type }) => type),
    ['user', 'assistant'],
  );
console.log(said.sort().join(' '));
