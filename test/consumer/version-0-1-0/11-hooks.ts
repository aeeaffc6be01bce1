// Hooks: a command guards the shell, a callback adds what the model should know.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, type SDKMessage } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const server = await startRehearsal({
  scenario: {
    name: 'a guarded push',
    replies: [reply(toolUse('Bash', { command: 'git push --force' })), reply('Not pushed.')],
  },
});

const messages: SDKMessage[] = [];
for await (const message of query({
  prompt: 'Push it.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
    allowedTools: ['Bash'],
    // As in a settings file. Exit code 2 denies the call with what is on stderr; `if` picks the calls.
    settings: {
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              {
                type: 'command',
                command: 'echo "Nobody pushes on Fridays." >&2; exit 2',
                if: 'Bash(git push *)',
              },
            ],
          },
        ],
      },
    },
    hooks: {
      UserPromptSubmit: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: {
                hookEventName: 'UserPromptSubmit',
                additionalContext: 'Today is a Friday.',
              },
            }),
          ],
        },
      ],
    },
  },
})) {
  messages.push(message);
}
const asked = JSON.stringify(server.requests.map(({ body }) => body));
await server.close();

assert.match(asked, /Today is a Friday\./);
assert.match(JSON.stringify(messages), /PreToolUse:Bash hook error: Nobody pushes on Fridays\./);
await rm(cwd, { recursive: true });
console.log('the push was denied');
