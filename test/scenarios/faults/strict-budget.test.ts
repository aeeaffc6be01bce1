import { expect, it } from 'vitest';
import { callTool, fakeTool, say } from '../../../src/testing/index.ts';
import { engineUnderTest, resultIn } from '../../engine/engine-under-test.ts';

it('F63 $1 and $0.80 of it spent: a call that could cost $0.30 is not made', async () => {
  const { run, model } = engineUnderTest(
    // Opus: $20 for a million output tokens; 40 000 of them are the $0.80.
    [callTool('Look', {}, { usage: { output_tokens: 40_000 } }), say('Never said.')],
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
