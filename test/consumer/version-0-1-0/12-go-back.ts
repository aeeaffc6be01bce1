// Sessions are data: list them, read them, go back to an earlier message, or try another way in a copy.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  deleteSession,
  forkSession,
  getSessionMessages,
  listSessions,
  type Options,
  query,
  renameSession,
} from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const folder = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
process.env['CLAUDE_CONFIG_DIR'] = join(folder, 'home'); // where sessions are kept
const server = await startRehearsal({
  // Says which prompts the request held.
  scenario: (request) =>
    reply(
      JSON.stringify(request.body['messages'])
        .match(/plan [A-Z]/g)
        ?.join(', ') ?? '',
    ),
});
const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };

async function ask(prompt: string, options: Options = {}) {
  for await (const message of query({ prompt, options: { env, cwd: folder, tools: [], ...options } })) {
    if (message.type === 'result' && message.subtype === 'success')
      return { id: message.session_id, answer: message.result };
  }
  throw new Error('There was no result.');
}

const { id } = await ask('plan A');
const [, firstAnswer] = await getSessionMessages(id, { dir: folder });
assert.ok(firstAnswer);
await ask('plan B', { resume: id });

// A copy up to the first answer goes another way; then the session itself goes back to it.
const copy = await forkSession(id, { dir: folder, upToMessageId: firstAnswer.uuid, title: 'Another way' });
const inCopy = await ask('plan C', { resume: copy.sessionId });
const wentBack = await ask('plan D', { resume: id, resumeSessionAt: firstAnswer.uuid });

await renameSession(id, 'The real one', { dir: folder });
const titles = (await listSessions({ dir: folder })).map(({ summary }) => summary).sort();
await deleteSession(copy.sessionId, { dir: folder });
const left = await listSessions({ dir: folder });
await server.close();
await rm(folder, { recursive: true });

assert.ok(!inCopy.answer.includes('plan B') && inCopy.answer.includes('plan C'));
assert.ok(!wentBack.answer.includes('plan B') && wentBack.answer.includes('plan D'));
assert.deepEqual(titles, ['Another way', 'The real one']);
assert.deepEqual(
  left.map(({ sessionId }) => sessionId),
  [id],
);
console.log(wentBack.answer);
