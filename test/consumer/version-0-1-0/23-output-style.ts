// How answers are to sound: an output style of the project, chosen by a setting.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
await mkdir(join(cwd, '.claude/output-styles'), { recursive: true });
await writeFile(
  join(cwd, '.claude/output-styles/telegram.md'),
  '---\nname: telegram\ndescription: As short as can be.\n---\n\nAnswer in three words at most. STOP\n',
);

const server = await startRehearsal({ scenario: { name: 'short', replies: [reply('All is well.')] } });
const session = query({
  prompt: 'How is the build?',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    settingSources: ['project'],
    settings: { outputStyle: 'telegram' },
    // A style is part of the agent's own prompt.
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    persistSession: false,
  },
});
const { output_style, available_output_styles } = await session.initializationResult();
for await (const message of session) {
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
await server.close();
await rm(cwd, { recursive: true });

assert.equal(output_style, 'telegram');
assert.deepEqual(available_output_styles, ['default', 'telegram']);
assert.ok(JSON.stringify(server.requests[0]?.body).includes('Answer in three words at most.'));
