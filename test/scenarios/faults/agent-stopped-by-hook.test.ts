import { callTool, fail, fakeTool, reply, type ScriptStep, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import {
  agentsUnderTest,
  answersIn,
  resultIn,
  startAgent,
  WORKER,
} from '../../subagents/agents-under-test.ts';

const look = (text: string) => reply([say(text), callTool('Look')]);

const ENDS: readonly {
  readonly reason: string;
  readonly script: readonly ScriptStep[];
  readonly says: string;
}[] = [
  { reason: 'max_turns', script: [look('Half of it.'), look('More of it.')], says: 'all of its 2 turns' },
  {
    reason: 'error',
    script: [
      look('Half of it.'),
      fail({ kind: 'invalid_request', message: 'this is no request', status: 400 }),
    ],
    says: 'this is no request',
  },
];

it.each(ENDS)(
  'F140 an agent that ends as $reason says so, with its partial text',
  async ({ reason, script, says }) => {
    const { run } = agentsUnderTest(
      { main: [startAgent('dig'), say('I see.')], dig: script },
      { tools: [fakeTool({ name: 'Look' })], agents: [{ ...WORKER, maxTurns: 2 }] },
    );
    const messages = await run();
    const [answer] = answersIn(messages);
    expect(answer).toMatchObject({ isError: true, data: { status: 'failed', reason } });
    expect(answer?.text).toContain(`did not complete (${reason})`);
    expect(answer?.text).toContain(says);
    expect(answer?.text).toMatch(/What it had said until then:\n(?:Half|More) of it\./);
    expect(JSON.stringify(answer)).not.toContain('"completed"');
    expect(resultIn(messages)).toMatchObject({ result: 'I see.' });
  },
);

it('F140 a hook that stops an agent is named as the reason', async () => {
  const { run } = agentsUnderTest(
    { main: [startAgent('dig'), say('I see.')], dig: [look('Half of it.')] },
    {
      tools: [fakeTool({ name: 'Look' })],
      hooks: {
        PostToolUse: [{ matcher: 'Look', hooks: [async () => ({ continue: false, stopReason: 'enough' })] }],
      },
    },
  );
  expect(answersIn(await run())).toMatchObject([
    {
      isError: true,
      data: { status: 'failed', reason: 'stopped_by_hook' },
      text: expect.stringContaining('Half of it.'),
    },
  ]);
});
