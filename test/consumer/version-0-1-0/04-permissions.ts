// The host decides about calls that neither rules nor mode settle.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, type SDKResultMessage } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const server = await startRehearsal({
  scenario: {
    name: 'two writes',
    replies: [
      reply([
        toolUse('Write', { file_path: join(cwd, 'notes.txt'), content: 'kept\n' }),
        toolUse('Write', { file_path: join(cwd, 'secrets.txt'), content: 'never written\n' }),
      ]),
      reply('One was written, one was not allowed.'),
    ],
  },
});

const questions: string[] = [];
let result: SDKResultMessage | undefined;
for await (const message of query({
  prompt: 'Write both files.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
    canUseTool: async (toolName, input) => {
      questions.push(toolName);
      const allowed = String(input['file_path']).endsWith('notes.txt');
      return allowed ? { behavior: 'allow' } : { behavior: 'deny', message: 'Not that file.' };
    },
  },
})) {
  if (message.type === 'result') result = message;
}
await server.close();

assert.deepEqual(questions, ['Write', 'Write']);
assert.ok(existsSync(join(cwd, 'notes.txt')));
assert.ok(!existsSync(join(cwd, 'secrets.txt')));
assert.equal(result?.permission_denials.length, 1);
assert.equal(result?.permission_denials[0]?.tool_name, 'Write');
await rm(cwd, { recursive: true });
console.log('asked twice, allowed once');
