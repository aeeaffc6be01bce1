// A log of everything: one callback for every hook event there is.
import assert from 'node:assert/strict';
import { HOOK_EVENTS, type HookCallback, query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const dig = { description: 'dig', prompt: 'Dig.', subagent_type: 'general-purpose' };
const server = await startRehearsal({
  scenario: {
    name: 'eventful',
    replies: [
      reply(toolUse('Glob', { pattern: '*.none' })),
      reply(toolUse('Bash', { command: 'touch nothing' })),
      reply(toolUse('Agent', dig)),
      reply('Dug.'),
      reply('Done.'),
    ],
  },
});

const log: string[] = [];
const note: HookCallback = async (input) => {
  log.push('tool_name' in input ? `${input.hook_event_name}(${input.tool_name})` : input.hook_event_name);
  return {};
};
for await (const message of query({
  prompt: 'Look, touch, dig.',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks: [note] }]])),
    canUseTool: async () => ({ behavior: 'deny', message: 'Not that.' }),
    persistSession: false,
  },
})) {
  if (message.type === 'result') assert.equal(message.is_error, false);
}
await server.close();

assert.deepEqual(log.slice(0, 2), ['SessionStart', 'UserPromptSubmit']);
for (const event of [
  'PreToolUse(Glob)',
  'PostToolUse(Glob)',
  'PermissionRequest(Bash)',
  'SubagentStart',
  'SubagentStop',
  'PostToolUse(Agent)',
  'PostToolBatch',
  'Stop',
])
  assert.ok(log.includes(event), event);
console.log(log.join('\n'));
