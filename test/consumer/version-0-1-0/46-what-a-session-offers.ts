// What a host shows in its menus: commands, models, agents, the account; known before the first prompt.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal();
const prompts = new PassThrough({ objectMode: true });
const session = query({
  prompt: prompts,
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    agents: { reviewer: { description: 'Reviews changes.', prompt: 'You review.' } },
    persistSession: false,
  },
});

const [commands, models, agents, account] = await Promise.all([
  session.supportedCommands(),
  session.supportedModels(),
  session.supportedAgents(),
  session.accountInfo(),
]);
// The end of the input is the end of the session.
prompts.end();
for await (const _ of session);
await server.close();

assert.ok(commands.some(({ name }) => name === 'compact'));
assert.ok(models.some(({ value }) => value === 'default'));
assert.ok(agents.some(({ name, description }) => name === 'reviewer' && description === 'Reviews changes.'));
assert.equal(account.apiKeySource, 'ANTHROPIC_API_KEY');
assert.equal(server.requests.length, 0);
for (const { name, description } of commands) console.log(`/${name}: ${description}`);
