// A session that is opened before its prompt is known, so that the first answer comes sooner.
import assert from 'node:assert/strict';
import { startup } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const server = await startRehearsal({ scenario: { name: 'ready', replies: [reply('At once.')] } });
const warm = await startup({
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
  },
});
// Settings are read, servers connected; nothing has been asked yet.
assert.equal(server.requests.length, 0);

let answer = '';
for await (const message of warm.query('Are you ready?')) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();

assert.equal(answer, 'At once.');
console.log(answer);
