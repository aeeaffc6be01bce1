// Hooks that are programs, and what they do as messages: for a host that shows what is going on.
import assert from 'node:assert/strict';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'linted',
    replies: [reply(toolUse('Glob', { pattern: '*.none' })), reply('All is well.')],
  },
});
const command = (text: string) => [{ hooks: [{ type: 'command', command: text }] }];
const seen: string[] = [];
let note = '';
for await (const message of query({
  prompt: 'Look around.',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    includeHookEvents: true,
    // A program gets the event as JSON on stdin, and may answer with JSON on stdout.
    settings: JSON.stringify({
      hooks: {
        PostToolUse: command('cat > /dev/null; echo looked'),
        Stop: command(`echo '{ "systemMessage": "Nothing left to do." }'`),
      },
    }),
    persistSession: false,
  },
})) {
  if (message.type !== 'system') continue;
  if (message.subtype === 'hook_started') seen.push(`${message.hook_event} began`);
  if (message.subtype === 'hook_response') seen.push(`${message.hook_event} ended, ${message.outcome}`);
  if (message.subtype === 'informational') note = message.content;
}
await server.close();

assert.deepEqual(seen, [
  'PostToolUse began',
  'PostToolUse ended, success',
  'Stop began',
  'Stop ended, success',
]);
assert.equal(note, 'Nothing left to do.');
console.log(seen.join('\n'));
