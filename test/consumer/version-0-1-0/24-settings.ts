// Which settings count: files of a project only when they are asked for, yours above them, a policy above all; and some
// of them change while the session runs.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, type SDKResultMessage } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
await mkdir(join(cwd, '.claude'));
await writeFile(
  join(cwd, '.claude/settings.json'),
  JSON.stringify({ model: 'haiku', permissions: { allow: ['Bash(mkdir:*)'] } }),
);

const make = (name: string) => toolUse('Bash', { command: `mkdir ${name}` });
const server = await startRehearsal({
  scenario: (request) =>
    request.lastMessage.includes('Go.') ? reply([make('one'), make('two')]) : reply('Done.'),
});
async function run(options: NonNullable<Parameters<typeof query>[0]['options']>) {
  const env = { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' };
  let result: SDKResultMessage | undefined;
  let model = '';
  for await (const message of query({
    prompt: 'Go.',
    options: { cwd, env, persistSession: false, ...options },
  })) {
    if (message.type === 'system' && message.subtype === 'init') model = message.model;
    if (message.type === 'result') result = message;
  }
  return { model, denied: result?.permission_denials.length };
}

const alone = await run({});
assert.equal(alone.denied, 2);
assert.ok(!alone.model.includes('haiku'));

const overruled = await run({
  settingSources: ['project'],
  settings: { model: 'sonnet' },
  managedSettings: { permissions: { deny: ['Bash(mkdir two)'] } },
});
await server.close();
assert.ok(overruled.model.includes('sonnet'));
assert.equal(overruled.denied, 1);
assert.deepEqual([existsSync(join(cwd, 'one')), existsSync(join(cwd, 'two'))], [true, false]);
await rm(cwd, { recursive: true });
console.log(`without: ${alone.denied} denied; with them, under a policy: ${overruled.denied}`);
