import type { SDKMessage } from '@turnwright/engine';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { collect, engineUnderTest, resultIn } from '../../engine/engine-under-test.ts';

const tools = [fakeTool({ name: 'Look' })];
const look = (usage = {}) => callTool('Look', {}, { usage });
const warnings = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'informational' && message.level === 'warning'
      ? [message.content]
      : [],
  );

it('F67 four of five turns: one warning, before the last of them; the next prompt counts anew', async () => {
  const { run } = engineUnderTest(
    [look(), look(), look(), look(), say('Done.'), look(), look(), look(), say('Done.')],
    { tools, maxTurns: 5 },
  );
  for (const prompt of ['One.', 'Two.']) {
    const messages = await run(prompt);
    expect(warnings(messages)).toEqual(['4 of the 5 turns of this run are used (maxTurns).']);
    expect(resultIn(messages)).toMatchObject({ subtype: 'success' });
  }
});

it('F67 80 % of the budget is reported once per session', async () => {
  // Opus: $20 for a million output tokens.
  const { engine } = engineUnderTest(
    [
      look({ output_tokens: 35_000 }),
      look({ output_tokens: 6_000 }),
      look(),
      say('Done.'),
      look(),
      say('Done.'),
    ],
    { tools, maxBudgetUsd: 1 },
  );
  const first = await collect(engine.submitMessage('One.'));
  expect(warnings(first)).toEqual([
    expect.stringMatching(/^\$0\.8\d{3} of the budget of \$1 is spent \(maxBudgetUsd\)\.$/),
  ]);
  const told = first.findIndex((message) => message.type === 'system' && message.subtype === 'informational');
  // With the answer that crossed the line, before the results of its call and of the next.
  expect(first.slice(told).filter(({ type }) => type === 'user')).toHaveLength(2);
  expect(warnings(await collect(engine.submitMessage('Two.')))).toEqual([]);
});

it('F67 80 % of the task budget', async () => {
  const { run } = engineUnderTest([look({ output_tokens: 41_000 }), look(), say('Done.')], {
    tools,
    taskBudget: { total: 50_000 },
  });
  expect(warnings(await run('Go.'))).toEqual([
    expect.stringMatching(
      /^About 4\d{4} of the 50000 tokens of the task's budget are used \(taskBudget\)\.$/,
    ),
  ]);
});

it('F67 a limit that is exceeded immediately is reported by the result alone', async () => {
  const { run } = engineUnderTest([look({ output_tokens: 100_000 })], {
    tools,
    maxBudgetUsd: 1,
    maxTurns: 1,
  });
  const messages = await run('Go.');
  expect(warnings(messages)).toEqual([]);
  expect(resultIn(messages)).toMatchObject({ subtype: 'error_max_budget_usd' });
});
