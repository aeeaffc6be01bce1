// What an agent may be given: tools, a model, a skill to begin with, a limit; and the host knows who asks.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
await mkdir(join(cwd, '.claude/skills/felling'), { recursive: true });
await writeFile(
  join(cwd, '.claude/skills/felling/SKILL.md'),
  '---\nname: felling\ndescription: How trees are felled.\n---\n\nLook up before you cut.\n',
);

const send = (type: string) =>
  toolUse('Agent', { description: type, prompt: `Work as ${type}.`, subagent_type: type });
const server = await startRehearsal({
  scenario: ({ firstUserMessage, lastMessage }) => {
    if (firstUserMessage.includes('as feller'))
      return lastMessage.includes('Not that one.')
        ? reply('I leave it.')
        : reply(toolUse('Bash', { command: 'rm larch' }));
    if (firstUserMessage.includes('as dreamer'))
      return reply(['Perhaps an oak.', toolUse('Glob', { pattern: '*.none' })]);
    return lastMessage.includes('Clear')
      ? reply([send('feller'), send('dreamer')])
      : reply('Nothing was felled.');
  },
});

const asked: boolean[] = [];
const outcomes: string[] = [];
let answer = '';
for await (const message of query({
  prompt: 'Clear the forest.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    settingSources: ['project'],
    agents: {
      feller: {
        description: 'Fells trees.',
        prompt: 'You fell trees.',
        tools: ['Bash'],
        model: 'haiku',
        skills: ['felling'],
      },
      dreamer: { description: 'Thinks of trees.', prompt: 'You dream.', tools: ['Glob'], maxTurns: 1 },
    },
    canUseTool: async (_name, _input, { agentID }) => {
      asked.push(agentID !== undefined);
      return { behavior: 'deny', message: 'Not that one.' };
    },
    persistSession: false,
  },
})) {
  if (message.type === 'user' && message.parent_tool_use_id === null) {
    const { status } = (message.tool_use_result ?? {}) as { readonly status?: string };
    if (status !== undefined) outcomes.push(status);
  }
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();
await rm(cwd, { recursive: true });

const bodies = server.requests.map(({ body }) => JSON.stringify(body));
const feller = bodies.find((body) => body.includes('You fell trees.'));
assert.ok(feller?.includes('haiku') && feller.includes('Look up before you cut.'));
assert.deepEqual(asked, [true]);
// One did its work, the other ran into its limit.
assert.deepEqual(outcomes.sort(), ['completed', 'failed']);
assert.ok(bodies.at(-1)?.includes('Perhaps an oak.'));
console.log(answer);
