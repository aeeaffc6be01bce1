import { callTool, fakeTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import {
  agentsUnderTest,
  answersIn,
  resultIn,
  startAgent,
  WORKER,
} from '../../subagents/agents-under-test.ts';

const LARGE = 'claude-opus-5-5';
const SMALL = 'claude-haiku-5-5';

it('F64 a call that the shared budget cannot pay: the agent ends as budget, its parent sees that and goes on', async () => {
  const { run, asked } = agentsUnderTest(
    {
      // The main model's next call fits into what is left; the agent's own does not.
      main: [startAgent('dig'), say('The agent ran out of money.')],
      dig: [callTool('Look', {}, { usage: { output_tokens: 8_000 } }), say('Never said.')],
    },
    {
      tools: [fakeTool({ name: 'Look', answer: 'x' })],
      agents: [{ ...WORKER, model: LARGE }],
      model: SMALL,
      maxBudgetUsd: 0.22,
      strictBudget: true,
    },
  );
  const messages = await run();
  const [answer] = answersIn(messages);
  expect(answer).toMatchObject({ isError: true, data: { status: 'failed', reason: 'budget' } });
  expect(answer?.text).toContain('did not complete (budget)');
  expect(asked('dig')).toHaveLength(1);
  const result = resultIn(messages);
  expect(result).toMatchObject({ subtype: 'success', result: 'The agent ran out of money.' });
  expect(result.total_cost_usd).toBeLessThanOrEqual(0.22);
});

it('F64 going on with an agent spends no more than a strict budget has', async () => {
  const more = callTool('SendMessage', { to: 'digger', message: 'Go on.' });
  const { run, asked } = agentsUnderTest(
    {
      main: [startAgent('dig', { name: 'digger' }), more, more, say('There is no money.')],
      dig: [callTool('Look', {}, { usage: { output_tokens: 8_000 } }), say('Never said.')],
    },
    {
      tools: [fakeTool({ name: 'Look', answer: 'x' })],
      agents: [{ ...WORKER, model: LARGE }],
      model: SMALL,
      maxBudgetUsd: 0.22,
      strictBudget: true,
    },
  );
  const messages = await run();
  expect(answersIn(messages)).toMatchObject(
    Array(3).fill({ isError: true, data: { status: 'failed', reason: 'budget' } }),
  );
  expect(asked('dig')).toHaveLength(1);
  expect(resultIn(messages).total_cost_usd).toBeLessThanOrEqual(0.22);
});

it('F64 money that is gone ends the agent and the run with it', async () => {
  const { run, asked } = agentsUnderTest(
    {
      main: [startAgent('dig'), say('Never said.')],
      dig: [callTool('Look', {}, { usage: { output_tokens: 100_000 } }), say('Never said.')],
    },
    { tools: [fakeTool({ name: 'Look' })], maxBudgetUsd: 1 },
  );
  const messages = await run();
  expect(resultIn(messages)).toMatchObject({ subtype: 'error_max_budget_usd' });
  expect(asked('dig')).toHaveLength(1);
  expect(asked('main')).toHaveLength(1);
});
