import type { SDKMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import { deferred, hang, type ScriptStep, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { agentsUnderTest, answersIn, startAgents } from '../../subagents/agents-under-test.ts';

it('F139 one of two agents hangs: the result of the other is delivered meanwhile', async () => {
  const hangs = deferred<void>();
  const stuck: ScriptStep = () => {
    hangs.resolve();
    return hang(say('I am still'));
  };
  const { engine, clock } = agentsUnderTest(
    { main: [startAgents('slow', 'quick'), say('One was slow.')], slow: [stuck], quick: [say('Here.')] },
    { subagentDeadlineMs: 60_000 },
  );
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage('Go.')) {
    messages.push(message);
    const [first, second] = answersIn(messages);
    if (first !== undefined && second === undefined) {
      expect(first).toMatchObject({ id: 'toolu_quick', text: 'Here.', isError: false });
      await hangs.promise;
      void clock.advance(60_000);
    }
  }
  expect(answersIn(messages)[1]).toMatchObject({
    id: 'toolu_slow',
    isError: true,
    data: { status: 'failed', reason: 'deadline' },
  });
});
