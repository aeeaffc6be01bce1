import { callTool, fakeTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { engineUnderTest, resultIn } from '../../engine/engine-under-test.ts';

it('F63 $1 and $0.96 of it spent: a call that could cost $0.30, and with the least output $0.06, is not made', async () => {
  const { run, model } = engineUnderTest(
    // Opus: $20 for a million output tokens; 48 000 of them are the $0.96.
    [callTool('Look', {}, { usage: { output_tokens: 48_000 } }), say('Never said.')],
    { tools: [fakeTool({ name: 'Look' })], maxBudgetUsd: 1, strictBudget: true, maxOutputTokens: 15_000 },
  );
  const result = resultIn(await run('Go.'));
  expect(model.requests).toHaveLength(1);
  expect(result).toMatchObject({
    subtype: 'error_max_budget_usd',
    terminal_reason: 'budget_exhausted',
    errors: ['Reached maximum budget ($1)', expect.stringContaining('of the $1 budget is left')],
  });
  expect(result.total_cost_usd).toBeLessThanOrEqual(1);
});

it('F63 $1 and $0.88 of it spent: the answer may be as long as the rest pays for, and is not asked for again', async () => {
  const { run, model } = engineUnderTest(
    [
      callTool('Look', {}, { usage: { output_tokens: 44_000 } }),
      say('Not all of', { stopReason: 'max_tokens', usage: { output_tokens: 5_000 } }),
      say('Never said.'),
    ],
    { tools: [fakeTool({ name: 'Look' })], maxBudgetUsd: 1, strictBudget: true },
  );
  const result = resultIn(await run('Go.'));
  const [first, second] = model.requests.map(({ maxTokens }) => maxTokens);
  expect(first).toBe(8_000);
  expect(second).toBeLessThan(8_000);
  expect(second).toBeGreaterThan(3_000);
  expect(model.requests).toHaveLength(2);
  expect(result).toMatchObject({ subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted' });
});
