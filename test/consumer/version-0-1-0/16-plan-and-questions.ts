// Plan first: the model asks, shows its plan, and works once the plan is approved. Its list of things to do is followed.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const cwd = await mkdtemp(join(tmpdir(), 'turnwright-example-'));
const question = 'Which colour?';
const options = [
  { label: 'Red', description: 'Like fire.' },
  { label: 'Green', description: 'Like grass.' },
];
const todo = (status: string) => ({ todos: [{ content: 'Paint', status, activeForm: 'Painting' }] });
const server = await startRehearsal({
  scenario: {
    name: 'a plan',
    replies: [
      reply(
        toolUse('AskUserQuestion', {
          questions: [{ question, header: 'Colour', options, multiSelect: false }],
        }),
      ),
      reply(toolUse('ExitPlanMode', { plan: 'Paint the gate green.' })),
      reply([
        toolUse('TodoWrite', todo('in_progress')),
        toolUse('Write', { file_path: join(cwd, 'gate.txt'), content: 'green\n' }),
        toolUse('TodoWrite', todo('completed')),
      ]),
      reply('The gate is green.'),
    ],
  },
});

const asked: string[] = [];
const progress: string[] = [];
let answer = '';
for await (const message of query({
  prompt: 'Paint the gate.',
  options: {
    cwd,
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    permissionMode: 'plan',
    persistSession: false,
    canUseTool: async (toolName, input) => {
      asked.push(toolName);
      if (toolName === 'AskUserQuestion')
        return { behavior: 'allow', updatedInput: { ...input, answers: { [question]: 'Green' } } };
      // Whoever approves the plan also says how freely it may be carried out.
      return {
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      };
    },
  },
})) {
  if (message.type === 'assistant') {
    for (const block of message.message.content) {
      if (block.type !== 'tool_use' || block.name !== 'TodoWrite') continue;
      const { todos } = block.input as ReturnType<typeof todo>;
      progress.push(...todos.map(({ content, status }) => `${content}: ${status}`));
    }
  }
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();

assert.deepEqual(asked, ['AskUserQuestion', 'ExitPlanMode']);
assert.deepEqual(progress, ['Paint: in_progress', 'Paint: completed']);
assert.equal(await readFile(join(cwd, 'gate.txt'), 'utf8'), 'green\n');
await rm(cwd, { recursive: true });
console.log(answer);
