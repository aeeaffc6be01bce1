import { callTool, deferred, fakeTool, reply, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { agentsUnderTest, answersIn, resultIn, startAgent } from '../../subagents/agents-under-test.ts';

it('F138 an agent that has answered and does not come to its end: the answer is delivered at the deadline', async () => {
  const stuck = deferred<void>();
  const { run, clock } = agentsUnderTest(
    { main: [startAgent('dig'), say('Done.')], dig: [say('It is gold.')] },
    {
      subagentDeadlineMs: 60_000,
      hooks: {
        SubagentStop: [
          {
            hooks: [
              () => {
                stuck.resolve();
                return new Promise(() => {});
              },
            ],
            timeout: 100_000,
          },
        ],
      },
    },
  );
  const running = run();
  await stuck.promise;
  await clock.advance(60_000);
  const messages = await running;
  const [answer] = answersIn(messages);
  expect(answer).toMatchObject({ isError: true, data: { status: 'failed', reason: 'deadline' } });
  expect(answer?.text).toContain('It is gold.');
  expect(resultIn(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
});

it('F68 a deadline of 90 s: what an agent has said until then is kept, and its parent goes on', async () => {
  const dug = deferred<void>();
  const holding = fakeTool({
    name: 'Dig',
    async answer(_, { signal }) {
      dug.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return 'never';
    },
  });
  const { run, clock, asked, store, engine } = agentsUnderTest(
    {
      main: [startAgent('dig'), say('Done.')],
      dig: [reply([say('The first metre is sand.'), callTool('Dig')])],
    },
    { subagentDeadlineMs: 90_000, tools: [holding] },
  );
  const running = run();
  await dug.promise;
  await clock.advance(89_999);
  expect(store.entries(engine.sessionId).some(({ type }) => type === 'result')).toBe(false);
  await clock.advance(1);
  const messages = await running;
  const answers = answersIn(messages);
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatchObject({ isError: true, data: { status: 'failed', reason: 'deadline' } });
  expect(answers[0]?.text).toContain('it was not done after 90 s.');
  expect(answers[0]?.text).toContain('The first metre is sand.');
  // Nothing more was asked of the agent, and its parent went on.
  expect(asked('dig')).toHaveLength(1);
  expect(resultIn(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
});
