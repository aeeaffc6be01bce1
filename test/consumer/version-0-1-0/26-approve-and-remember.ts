// An answer that changes the call, and one that need not be given twice.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const make = (path: string) => toolUse('Bash', { command: `mkdir ${path}` });
const server = await startRehearsal({
  scenario: {
    name: 'folders',
    replies: [reply(make('/opt/build')), reply(make('again')), reply(make('again/deep')), reply('Made.')],
  },
});

const questions: unknown[] = [];
for await (const message of query({
  prompt: 'Make some folders.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    persistSession: false,
    canUseTool: async (_, input, { suggestions = [] }) => {
      questions.push(input['command']);
      // Not there, but here.
      if (input['command'] === 'mkdir /opt/build')
        return { behavior: 'allow', updatedInput: { ...input, command: 'mkdir build' } };
      // What a dialog would offer as "always" is among the suggestions; a rule of one's own goes further.
      assert.ok(suggestions.length > 0);
      const rules = [{ toolName: 'Bash', ruleContent: 'mkdir:*' }];
      return {
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }],
      };
    },
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
await server.close();

assert.deepEqual(questions, ['mkdir /opt/build', 'mkdir again']);
assert.deepEqual((await readdir(cwd, { recursive: true })).sort(), ['again', 'again/deep', 'build']);
await rm(cwd, { recursive: true });
