import { expect, it } from 'vitest';
import { deferred, say } from '../../../src/testing/index.ts';
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
  expect(answer).toMatchObject({ isError: true, data: expect.stringContaining('(deadline)') });
  expect(answer?.text).toContain('It is gold.');
  expect(resultIn(messages)).toMatchObject({ subtype: 'success', result: 'Done.' });
});
