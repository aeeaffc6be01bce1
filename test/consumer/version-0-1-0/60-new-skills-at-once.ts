// A skill that is written while the session runs is there with the next prompt; a plugin likewise.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { query } from 'turnwright';
import { reply, startRehearsal } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const skill = async (path: string, name: string) => {
  await mkdir(dirname(join(cwd, path)), { recursive: true });
  await writeFile(join(cwd, path), `---\nname: ${name}\ndescription: About ${name}.\n---\n\nTake care.\n`);
};
const server = await startRehearsal({
  scenario: { name: 'two prompts', replies: [reply('Hello.'), reply('I see.')] },
});

const prompts = new PassThrough({ objectMode: true });
const ask = (content: string) =>
  prompts.write({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null });
const session = query({
  prompt: prompts,
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    settingSources: ['project'],
    persistSession: false,
  },
});

ask('Hello.');
let results = 0;
let known: readonly string[] = [];
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') known = message.skills;
  if (message.type !== 'result') continue;
  results += 1;
  if (results === 2) {
    prompts.end();
    continue;
  }
  assert.deepEqual(known, []);
  await skill('.claude/skills/sawing/SKILL.md', 'sawing');
  await skill('wood/skills/planing/SKILL.md', 'planing');
  const { skills } = await session.reloadSkills();
  assert.deepEqual(
    skills.map(({ name }) => name),
    ['sawing'],
  );
  const { plugins } = await session.reloadPlugins({
    addPlugins: [{ type: 'local', path: join(cwd, 'wood') }],
  });
  assert.deepEqual(
    plugins.map(({ name }) => name),
    ['wood'],
  );
  ask('What can you do now?');
}
await server.close();
await rm(cwd, { recursive: true });

assert.deepEqual([...known].sort(), ['sawing', 'wood:planing']);
assert.match(JSON.stringify(server.requests[1]?.body), /About planing\./);
console.log(known.join(', '));
