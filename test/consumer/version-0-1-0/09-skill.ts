// A skill is told by name, and loaded when it is needed.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
const folder = join(cwd, '.claude/skills/haiku');
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'SKILL.md'),
  '---\nname: haiku\ndescription: Writes haiku.\n---\n\nFive, seven and five syllables. Name a season.\n',
);

const server = await startRehearsal({
  scenario: {
    name: 'a skill',
    replies: [reply(toolUse('Skill', { skill: 'haiku', args: 'about rain' })), reply('Autumn rain again.')],
  },
});
let result = '';
for await (const message of query({
  prompt: 'A haiku about rain, please.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    settingSources: ['project'],
    persistSession: false,
  },
})) {
  if (message.type === 'system' && message.subtype === 'init') assert.deepEqual(message.skills, ['haiku']);
  if (message.type === 'result' && message.subtype === 'success') result = message.result;
}
await server.close();
rmSync(cwd, { recursive: true });

const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
assert.ok(first?.includes('- haiku: Writes haiku.') && !first.includes('Name a season.'));
assert.ok(second?.includes('Name a season.') && second.includes('ARGUMENTS: about rain'));
assert.equal(result, 'Autumn rain again.');
console.log(result);
