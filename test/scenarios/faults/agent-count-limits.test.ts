import { say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import {
  agentsUnderTest,
  answersIn,
  resultIn,
  startAgent,
  startAgents,
} from '../../subagents/agents-under-test.ts';

const NAMES = Array.from({ length: 50 }, (_, i) => `n${i}`);
const scripts = Object.fromEntries(NAMES.map((name) => [name, [say(`${name} is done.`)]]));

it('F62 fifty agents in one answer: ten run, the others are tool errors that say why', async () => {
  const { run } = agentsUnderTest({ main: [startAgents(...NAMES), say('Done.')], ...scripts });
  const messages = await run();
  const answers = answersIn(messages);
  expect(answers).toHaveLength(50);
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(10);
  const refused = answers.filter(({ isError }) => isError);
  expect(new Set(refused.map(({ text }) => text))).toEqual(
    new Set([
      'At most 10 agents can be started in one answer; this one was not. Start it later, or do the work yourself.',
    ]),
  );
  expect(resultIn(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
});

it('F62 the session has a cap of its own, over all answers', async () => {
  const { run } = agentsUnderTest(
    { main: [startAgents('n0', 'n1'), startAgent('n2', { id: 'toolu_n2' }), say('Done.')], ...scripts },
    { maxSubagents: 2 },
  );
  const answers = answersIn(await run());
  expect(answers.map(({ isError }) => isError)).toEqual([false, false, true]);
  expect(answers[2]?.text).toContain('This session has started 2 agents');
});
