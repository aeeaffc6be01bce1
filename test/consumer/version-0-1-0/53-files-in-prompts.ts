// @file in a prompt brings the file along; a prompt that a program made is better sent as it is.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
await writeFile(join(cwd, 'poem.txt'), 'Roses are red.\n');
const server = await startRehearsal({
  scenario: { name: 'poems', replies: [reply('Nice.', { times: 'any' })] },
});

async function sent(prompt: string, verbatimPrompts: boolean): Promise<string> {
  const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };
  for await (const message of query({
    prompt,
    options: { cwd, env, verbatimPrompts, persistSession: false },
  }))
    if (message.type === 'result') assert.equal(message.is_error, false);
  return JSON.stringify(server.requests.at(-1)?.body);
}

const typed = await sent('What do you make of @poem.txt?', false);
const quoted = await sent('A user wrote: /compact @poem.txt', true);
await server.close();
await rm(cwd, { recursive: true });

assert.ok(typed.includes('Roses are red.'));
assert.ok(quoted.includes('A user wrote: /compact @poem.txt') && !quoted.includes('Roses are red.'));
console.log('once with the file, once without');
