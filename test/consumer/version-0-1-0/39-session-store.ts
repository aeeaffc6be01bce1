// Sessions in a store of your own, say a database: another machine, without the files, goes on from there.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getSessionMessages, InMemorySessionStore, query } from 'turnwright';
import { type RehearsalRequest, reply, startRehearsal } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const sessionStore = new InMemorySessionStore();

// Knows a name only when the conversation holds it.
function remembering(request: RehearsalRequest) {
  const [, name] = /my name is (\w+)/i.exec(JSON.stringify(request.body['messages'])) ?? [];
  return reply(name === undefined ? 'I do not know your name.' : `Your name is ${name}.`);
}
const server = await startRehearsal({ scenario: remembering });

async function ask(machine: string, prompt: string, resume: { readonly resume?: string } = {}) {
  const env = {
    ...process.env,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'rehearsal',
    CLAUDE_CONFIG_DIR: join(cwd, machine),
  };
  for await (const message of query({ prompt, options: { cwd, env, sessionStore, ...resume } })) {
    if (message.type === 'result' && message.subtype === 'success')
      return { id: message.session_id, answer: message.result };
  }
  throw new Error('There was no result.');
}

const { id } = await ask('first-machine', 'Hello, my name is Ada.');
const { answer } = await ask('second-machine', 'What is my name?', { resume: id });
const messages = await getSessionMessages(id, { dir: cwd, sessionStore });
await server.close();
await rm(cwd, { recursive: true });

assert.equal(answer, 'Your name is Ada.');
assert.equal(messages.length, 4);
console.log(answer);
