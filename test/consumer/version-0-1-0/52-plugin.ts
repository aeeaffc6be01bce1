// A plugin: a folder that brings a skill, an agent, a command and a hook along.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const folder = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const files = {
  '.claude-plugin/plugin.json': '{ "name": "wood", "version": "1.0.0", "description": "About wood." }',
  'skills/saw/SKILL.md': '---\nname: saw\ndescription: Saws wood.\n---\n\nMeasure twice, saw once.\n',
  'agents/joiner.md': '---\nname: joiner\ndescription: Joins wood.\n---\nYou join wood.\n',
  'commands/plank.md': '---\ndescription: Makes a plank.\n---\n\nMake a plank of $ARGUMENTS.\n',
  'hooks/hooks.json': JSON.stringify({
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'echo The workshop is open.' }] }] },
  }),
};
for (const [path, content] of Object.entries(files)) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

const server = await startRehearsal({
  scenario: {
    name: 'a plank',
    replies: [reply(toolUse('Skill', { skill: 'wood:saw' })), reply('Here is your plank.')],
  },
});
for await (const message of query({
  prompt: '/wood:plank larch',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    plugins: [{ type: 'local', path: folder }],
    persistSession: false,
  },
})) {
  if (message.type === 'system' && message.subtype === 'init') {
    assert.deepEqual(
      message.plugins.map(({ name }) => name),
      ['wood'],
    );
    assert.deepEqual(message.skills, ['wood:saw']);
    assert.ok(message.agents?.includes('wood:joiner') && message.slash_commands.includes('wood:plank'));
  }
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
await server.close();
await rm(folder, { recursive: true });

const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
assert.ok(first?.includes('Make a plank of larch.') && first.includes('The workshop is open.'));
assert.ok(second?.includes('Measure twice, saw once.'));
