/** A strict budget through the public door: real HTTP, agents inside agents, broken and refused answers. */

import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { MODEL, rehearse } from './rehearse.ts';

const agents = {
  digger: { description: 'Digs.', prompt: 'Dig.', model: 'claude-sonnet-5-5' },
  sifter: { description: 'Sifts.', prompt: 'Sift.', model: 'claude-haiku-4-5' },
};
const agent = (name: string) =>
  toolUse('Agent', { description: name, prompt: `Be ${name}.`, subagent_type: name });

it('L9 pays for agents, and for what broke, out of one budget', async () => {
  const run = await rehearse({
    options: {
      agents,
      model: 'claude-haiku-4-5',
      maxBudgetUsd: 5,
      strictBudget: true,
      engine: { maxSubagentDepth: 2 },
    },
    replies: [
      reply(agent('digger')),
      reply(agent('sifter')),
      reply('Some of the dust', { faults: [{ name: 'sse-error', after: 3, type: 'api_error' }] }),
      reply('Dust.'),
      reply('Dug.'),
      reply('Done.'),
    ],
  });
  const [result] = run.results;
  expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
  expect(result?.total_cost_usd).toBeLessThan(5);
});

it('L9 lowers the output cap on the wire before it ends a run', async () => {
  const run = await rehearse({
    options: { model: MODEL, tools: [], maxBudgetUsd: 0.12, strictBudget: true },
    replies: [reply('Done.')],
  });
  expect(run.results).toMatchObject([{ subtype: 'success' }]);
  expect(run.sent[0]?.max_tokens).toBeGreaterThan(3_000);
  expect(run.sent[0]?.max_tokens).toBeLessThan(6_000);
});

it('L9 sends nothing where not even that fits', async () => {
  const run = await rehearse({
    options: { model: MODEL, tools: [], maxBudgetUsd: 0.05, strictBudget: true },
    replies: [],
  });
  expect(run.sent).toEqual([]);
  expect(run.results).toMatchObject([
    {
      subtype: 'error_max_budget_usd',
      terminal_reason: 'budget_exhausted',
      errors: ['Reached maximum budget ($0.05)', expect.stringContaining('of the $0.05 budget is left')],
    },
  ]);
});
