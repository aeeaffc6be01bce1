// Callbacks along the way: a call is changed before it runs, its result gets a note, the model is sent back to work.
import assert from 'node:assert/strict';
import { type HookCallback, query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const server = await startRehearsal({
  scenario: {
    name: 'steered',
    replies: [
      reply(toolUse('Bash', { command: 'echo one' }, 'toolu_1')),
      reply('Done.'),
      reply('Now it is done.'),
    ],
  },
});

const events: string[] = [];
const note: HookCallback = async (input) => {
  events.push(input.hook_event_name);
  return {};
};
const rewrite: HookCallback = async () => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'echo two' } },
});
const remark: HookCallback = async () => ({
  hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'That was the short way.' },
});
let stops = 0;
const checkOnce: HookCallback = async () => {
  stops += 1;
  return stops === 1 ? { decision: 'block', reason: 'Did you check it?' } : {};
};

let answer = '';
for await (const message of query({
  prompt: 'Say one.',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    allowedTools: ['Bash(echo:*)'],
    persistSession: false,
    hooks: {
      SessionStart: [{ hooks: [note] }],
      UserPromptSubmit: [{ hooks: [note] }],
      PreToolUse: [{ matcher: 'Bash', hooks: [note, rewrite], timeout: 5 }],
      PostToolUse: [{ matcher: 'Bash', hooks: [note, remark] }],
      Stop: [{ hooks: [note, checkOnce] }],
    },
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();

const [, second = '', third = ''] = server.requests.map(({ body }) => JSON.stringify(body));
assert.ok(second.includes('That was the short way.') && second.includes('two'));
assert.ok(third.includes('Did you check it?'));
assert.deepEqual(events, ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'Stop']);
assert.equal(answer, 'Now it is done.');
console.log(events.join(' → '));
