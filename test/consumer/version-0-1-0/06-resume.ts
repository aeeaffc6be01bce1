// A session outlives its process: the next one goes on where it stopped, or tries another way under another id.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, query, type SDKResultMessage } from 'turnwright';
import { type RehearsalRequest, reply, startRehearsal } from 'turnwright/rehearsal';

const folder = await mkdtemp(join(tmpdir(), 'turnwright-example-'));

// Knows a name only when the conversation holds it.
function remembering(request: RehearsalRequest) {
  const [, name] = /my name is (\w+)/i.exec(JSON.stringify(request.body['messages'])) ?? [];
  return reply(name === undefined ? 'I do not know your name.' : `Your name is ${name}.`);
}
const server = await startRehearsal({ scenario: remembering });
const env = {
  ...process.env,
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: 'rehearsal',
  CLAUDE_CONFIG_DIR: join(folder, 'home'), // where sessions are kept
};

async function ask(
  prompt: string,
  options: Options = {},
): Promise<SDKResultMessage & { readonly subtype: 'success' }> {
  for await (const message of query({ prompt, options: { env, cwd: folder, ...options } })) {
    if (message.type === 'result' && message.subtype === 'success') return message;
  }
  throw new Error('There was no result.');
}

const first = await ask('Hello, my name is Ada.');
const resumed = await ask('What is my name?', { resume: first.session_id });
const newest = await ask('And again?', { continue: true });
const forked = await ask('What is my name?', { resume: first.session_id, forkSession: true });
const fresh = await ask('What is my name?');
await server.close();
await rm(folder, { recursive: true });

assert.equal(resumed.result, 'Your name is Ada.');
assert.equal(resumed.session_id, first.session_id);
assert.equal(newest.session_id, first.session_id);
assert.equal(forked.result, 'Your name is Ada.');
assert.notEqual(forked.session_id, first.session_id);
assert.equal(fresh.result, 'I do not know your name.');
console.log(resumed.result);
