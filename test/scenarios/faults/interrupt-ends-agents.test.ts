import type { SDKMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import { callTool, fakeTool, hang, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { agentsUnderTest, answersIn, resultIn, startAgent } from '../../subagents/agents-under-test.ts';

it('F141 an interrupted run ends every agent below it, and what they were running', async () => {
  const wait = fakeTool({ name: 'Wait', hold: true });
  const { engine, asked } = agentsUnderTest(
    {
      main: [startAgent('dig'), say('Never said.')],
      dig: [startAgent('deeper'), say('Never said.')],
      deeper: [callTool('Wait'), hang()],
    },
    { tools: [wait], maxSubagentDepth: 2 },
  );
  const messages: SDKMessage[] = [];
  const running = (async () => {
    for await (const message of engine.submitMessage('Go.')) messages.push(message);
  })();
  const { context } = await wait.started();
  engine.interrupt();
  await running;
  expect(context.signal.aborted).toBe(true);
  expect(answersIn(messages)).toMatchObject([{ isError: true }]);
  expect(resultIn(messages)).toMatchObject({ terminal_reason: 'aborted_tools' });
  expect(asked('dig')).toHaveLength(1);
  expect(asked('deeper')).toHaveLength(1);
});

it('F141 closing the session ends them too', async () => {
  const wait = fakeTool({ name: 'Wait', hold: true });
  const { engine } = agentsUnderTest(
    { main: [startAgent('dig')], dig: [callTool('Wait')] },
    { tools: [wait] },
  );
  const running = (async () => {
    for await (const _ of engine.submitMessage('Go.'));
  })();
  const { context } = await wait.started();
  await engine.close();
  await running;
  expect(context.signal.aborted).toBe(true);
});
