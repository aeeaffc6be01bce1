import {
  type AgentsUnderTest,
  agentsUnderTest,
  answersIn,
  resultIn,
  startAgent,
  WORKER,
} from '@turnwright/test/subagents/agents-under-test.ts';
import { callTool, fakeTool, recordingStore, reply, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';
import type { AgentDefinition } from '../../src/protocol/tools/agent.ts';

const message = (to: string, text: string, more: object = {}) =>
  callTool('SendMessage', { to, message: text, ...more });

/** The id of the agent that this call started. */
const idIn = (messages: readonly SDKMessage[], at = 0): string =>
  String(answersIn(messages)[at]?.data['agentId']);

const viewText = ({ asked }: AgentsUnderTest, prompt: string, at: number): string =>
  JSON.stringify(asked(prompt)[at]?.view);

it('an agent that has completed goes on with what it knows, under its id', async () => {
  const test = agentsUnderTest(
    {
      main: [startAgent('dig', { name: 'digger' }), message('digger', 'Weigh it.'), say('Done.')],
      dig: [callTool('Read', {}), say('Gold.'), say('Two pounds.')],
    },
    { tools: [fakeTool({ name: 'Read' })] },
  );
  const messages = await test.run();
  const [first, second] = answersIn(messages);
  expect(first).toMatchObject({ isError: false, data: { status: 'completed' } });
  const id = idIn(messages);
  expect(first?.text).toBe('Gold.');
  expect(first?.address).toBe(
    `(Agent ${id}: SendMessage to "${id}" goes on with it, with all that it knows.)`,
  );
  expect(second).toMatchObject({
    isError: false,
    data: { status: 'completed', agentId: id, agentType: 'worker' },
  });
  expect(second?.text).toContain('Two pounds.');
  expect(viewText(test, 'dig', 2)).toMatch(/dig.*Gold\..*Weigh it\./);
  // The head of its requests keeps its bytes.
  expect(test.asked('dig')[2]?.system).toEqual(test.asked('dig')[0]?.system);
  expect(test.asked('dig')[2]?.tools).toEqual(test.asked('dig')[0]?.tools);
  expect(resultIn(messages).subagent_stats).toMatchObject({ spawned: 2, completed: 2 });
});

it('one that has used its turns goes on, with as many once more', async () => {
  const read = fakeTool({ name: 'Read' });
  const test = agentsUnderTest(
    {
      main: [startAgent('dig', { name: 'digger' }), message('digger', 'Go on.'), say('Done.')],
      dig: [callTool('Read', {}), callTool('Read', {}), say('Gold.')],
    },
    { tools: [read], agents: [{ ...WORKER, maxTurns: 1 }] },
  );
  const messages = await test.run();
  const [first, second] = answersIn(messages);
  expect(first).toMatchObject({ isError: true, data: { reason: 'max_turns' } });
  expect(second).toMatchObject({ isError: true, data: { reason: 'max_turns' } });
  expect(read.calls).toHaveLength(2);
});

it('a message to no agent, to one at work, and a second one of the same answer are refused', async () => {
  const work = fakeTool({ name: 'Work', hold: true });
  const test = agentsUnderTest(
    {
      main: [
        startAgent('dig', { name: 'digger' }),
        reply([
          callTool('SendMessage', { to: 'digger', message: 'Weigh it.' }, { id: 'toolu_1' }),
          callTool('SendMessage', { to: 'digger', message: 'Wash it.' }, { id: 'toolu_2' }),
          callTool('SendMessage', { to: 'dagger', message: 'Sell it.' }, { id: 'toolu_3' }),
        ]),
        say('Done.'),
      ],
      dig: [say('Gold.'), say('Two pounds.')],
    },
    { tools: [work] },
  );
  const answers = answersIn(await test.run()).slice(1);
  expect(answers.map(({ isError }) => isError).sort()).toEqual([false, true, true]);
  const text = answers.map((each) => each.text).join('\n');
  expect(text).toContain('is still at work and takes no message now');
  expect(text).toContain('There is no agent "dagger" to send a message to. There are: digger (do dig).');
  expect(test.asked('dig')).toHaveLength(2);
});

it('each run counts for the limits: of an answer, and of the session', async () => {
  const test = agentsUnderTest(
    {
      main: [
        startAgent('dig', { name: 'digger' }),
        message('digger', 'Once more.'),
        message('digger', 'And again.'),
        say('Done.'),
      ],
      dig: [say('Gold.'), say('More.'), say('Too much.')],
    },
    { maxSubagents: 2 },
  );
  const answers = answersIn(await test.run());
  expect(answers[2]).toMatchObject({ isError: true, data: { status: 'refused' } });
  expect(test.asked('dig')).toHaveLength(2);
});

it('the rules of Agent hold for messages to agents', async () => {
  let asked = 0;
  const test = agentsUnderTest(
    {
      main: [startAgent('dig', { name: 'digger' }), message('digger', 'More.'), say('Done.')],
      dig: [say('Gold.'), say('More.')],
    },
    {
      canUseTool: async (name, input) => {
        asked += name === 'SendMessage' || name === 'Agent' ? 1 : 0;
        return name === 'SendMessage'
          ? { behavior: 'deny', message: 'No.' }
          : { behavior: 'allow', updatedInput: input };
      },
      permissionMode: 'default',
      askRules: ['Agent'],
    },
  );
  const answers = answersIn(await test.run());
  expect(asked).toBe(2);
  expect(answers[1]).toMatchObject({ isError: true });
  expect(test.asked('dig')).toHaveLength(1);
});

it('a fork has what was said, the head and the tools of the main conversation', async () => {
  const read = fakeTool({ name: 'Read' });
  const test = agentsUnderTest(
    {
      main: [
        callTool('Read', {}),
        startAgent('Count the lines.', { subagent_type: 'fork', model: 'haiku', name: 'counter' }),
        message('counter', 'And the words?'),
        say('Done.'),
      ],
      'Go.': [say('Twelve.'), say('Ninety.')],
    },
    { tools: [read], systemPrompt: ['You are the main one.'] },
  );
  const messages = await test.run();
  const [, fork, more] = answersIn(messages);
  expect(fork).toMatchObject({ isError: false, data: { status: 'completed', agentType: 'fork' } });
  expect(more).toMatchObject({ isError: false, data: { status: 'completed' } });
  const [before, start] = test.asked('main');
  const [forked, again] = test.asked('Go.');
  for (const request of [forked, again]) {
    expect(request?.system).toEqual(start?.system);
    expect(request?.tools).toEqual(start?.tools);
    expect(request?.userContext).toEqual(start?.userContext);
    expect(request?.model).toEqual(start?.model);
  }
  // The request that its own continues: byte for byte, and one message more.
  const sentIn = (request: typeof start) =>
    [...(request?.view ?? [])].map((each) => (each.type === 'attachment' ? each.rendered : each.message));
  const sent = sentIn(start);
  expect(JSON.stringify(sentIn(forked).slice(0, sent.length))).toBe(JSON.stringify(sent));
  expect([...(forked?.view ?? [])].at(-1)).toMatchObject({ message: { content: 'Count the lines.' } });
  expect(before).toBeDefined();
  expect(JSON.stringify(again?.view)).toMatch(/Count the lines.*Twelve.*And the words/);
});

it('an agent that goes on has no more tools and no looser mode than it began with', async () => {
  const tools = ['Look', 'Burn'].map((name) => fakeTool({ name }));
  const store = recordingStore();
  const begun = agentsUnderTest(
    { main: [startAgent('dig', { name: 'digger' }), say('Done.')], dig: [say('Gold.')] },
    { tools, store, agents: [{ ...WORKER, tools: ['Look'], permissionMode: 'plan' }] },
  );
  await begun.run();
  const { sessionId } = begun.engine;
  const goOn = (agents: readonly AgentDefinition[]) =>
    agentsUnderTest(
      { main: [message('digger', 'More.'), say('Done.')], dig: [callTool('Burn', {}), say('Ash.')] },
      { tools, store, agents, resume: sessionId, sessionId },
    );
  const without = goOn([{ ...WORKER, name: 'other' }]);
  expect(answersIn(await without.run())[0]).toMatchObject({
    isError: true,
    text: expect.stringContaining('would go on without its limits'),
  });
  const wider = goOn([WORKER]);
  expect(answersIn(await wider.run())[0]?.text).toContain('Ash.');
  expect(wider.asked('dig')[0]?.tools.map(({ name }) => name)).toEqual(['Look']);
  expect(tools[1]?.calls).toEqual([]);
  expect(viewText(wider, 'dig', 0)).toMatch(/Gold\..*More\./);
});
