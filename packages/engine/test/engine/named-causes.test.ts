/** Small things of an engine that go otherwise than a host might think: each is named. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { tempFolder } from '@turnwright/test/scenarios/temp-folder.ts';
import { say } from '@turnwright/testing';
import { expect, it } from 'vitest';

it.each([
  ['a text', 'text'],
  ['nothing', undefined],
  ['messages that are no list', { messages: 'x', shouldQuery: true }],
  ['a list', []],
])('a command of the host that returns %s is named', async (_what, returned) => {
  const { run, model } = engineUnderTest([say('Hello.')], {
    commands: [{ name: 'odd', description: 'odd', run: async () => returned as never }],
  });
  const result = resultIn(await run('/odd'));
  expect(result).toMatchObject({ terminal_reason: 'turn_setup_failed', num_turns: 0 });
  expect(JSON.stringify(result)).toContain('/odd did not return a CommandResult');
  expect(model.requests).toHaveLength(0);
});

it.each([
  ['thinking that cannot be switched off', { thinking: { type: 'disabled' } }, 'always thinks'],
  [
    'a thinking budget',
    { thinking: { type: 'enabled', budgetTokens: 2_000 } },
    'the thinking budget of 2000 tokens is not sent',
  ],
] as const)('%s is named once', async (_what, config, words) => {
  const { run } = engineUnderTest([say('Hello.'), say('Again.')], config);
  const told = JSON.stringify([...(await run('Go.')), ...(await run('Go on.'))]);
  expect(told.split(words)).toHaveLength(2);
});

it('/fast is answered, and not sent to the model', async () => {
  const { run, model } = engineUnderTest([say('Hello.')]);
  expect(resultIn(await run('/fast'))).toMatchObject({ result: expect.stringContaining('fastMode') });
  expect(model.requests).toHaveLength(0);
});

it('/compact of a short conversation does not say that it freed anything', async () => {
  const { run } = engineUnderTest([
    say('Hello.'),
    say('A summary that is longer than what it stands for. '.repeat(40)),
  ]);
  await run('Hi.');
  const messages = await run('/compact');
  expect(JSON.stringify(messages)).not.toMatch(/about 0 tokens|tokens were freed/);
});

it('`await using` closes an engine', async () => {
  const { engine, run } = engineUnderTest([say('Hello.')]);
  await run('Go.');
  await engine[Symbol.asyncDispose]();
  await expect(run('Go on.')).rejects.toThrow();
});

it('the memory folder of the environment is that of an engine, too', async () => {
  const folder = join(tempFolder(), 'memory');
  mkdirSync(folder);
  writeFileSync(join(folder, 'MEMORY.md'), 'The larch is the one by the gate.');
  const { run, model } = engineUnderTest([say('Hello.')], {
    env: { CLAUDE_COWORK_MEMORY_PATH_OVERRIDE: folder },
    systemPrompt: ['You keep a garden.'],
  });
  await run('Go.');
  expect(JSON.stringify(model.requests[0])).toContain(folder);
});
