import {
  type AgentsUnderTest,
  agentsUnderTest,
  answersIn,
  resultIn,
  startAgent,
  startAgents,
} from '@turnwright/test/subagents/agents-under-test.ts';
import { callTool, fakeTool, reply, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';

/** The usage in messages of this kind about the agents' tasks, as far as they have come. */
function taskUsage(engine: AgentsUnderTest['engine']) {
  const all: SDKMessage[] = [];
  engine.onEvent((message) => all.push(message));
  return (subtype: 'task_progress' | 'task_notification') =>
    all.flatMap((message) =>
      message.type === 'system' && message.subtype === subtype ? (message.usage ?? []) : [],
    );
}

describe('an agent in the foreground', () => {
  it('answers as the result of its call, with its figures', async () => {
    const { run, asked } = agentsUnderTest(
      { main: [startAgent('dig'), say('Done.')], dig: [callTool('Look'), say('Found it.')] },
      { tools: [fakeTool({ name: 'Look' })] },
    );
    const messages = await run();
    expect(answersIn(messages)).toMatchObject([
      {
        text: 'Found it.',
        isError: false,
        data: {
          status: 'completed',
          agentType: 'worker',
          prompt: 'dig',
          content: [{ type: 'text', text: 'Found it.' }],
          totalToolUseCount: 1,
          totalTokens: 30,
          toolsUsed: ['Look'],
        },
      },
    ]);
    expect(resultIn(messages)).toMatchObject({ subtype: 'success', result: 'Done.', num_turns: 2 });
    const [first] = asked('dig');
    expect(first).toMatchObject({ querySource: 'agent:worker', foreground: true });
    expect(first?.system[0]).toBe('You work.');
    expect(first?.view).toHaveLength(1);
  });

  it('shows its prompt, its calls and their results, and whose they are; its text only when asked', async () => {
    const scripts = () => ({
      main: [startAgent('dig', { id: 'toolu_dig' }), say('Done.')],
      dig: [reply([say('Let me look.'), callTool('Look')]), say('Found it.')],
    });
    const nested = async (forwardSubagentText: boolean) => {
      const { run } = agentsUnderTest(scripts(), {
        tools: [fakeTool({ name: 'Look' })],
        forwardSubagentText,
      });
      return (await run()).filter(
        (message) => 'parent_tool_use_id' in message && message.parent_tool_use_id !== null,
      );
    };
    const shown = await nested(false);
    expect(shown.map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
    for (const message of shown) {
      expect(message).toMatchObject({
        parent_tool_use_id: 'toolu_dig',
        agent_id: expect.stringMatching(/^a\w+$/),
        subagent_type: 'worker',
        task_description: 'do dig',
      });
    }
    expect(JSON.stringify(shown)).not.toContain('Let me look.');
    expect(JSON.stringify(await nested(true))).toContain('Let me look.');
  });

  it('usage is the main loop alone; cost and modelUsage hold everything', async () => {
    const { run } = agentsUnderTest({
      main: [startAgents('one', 'two'), say('Done.')],
      one: [say('1')],
      two: [say('2')],
    });
    const result = resultIn(await run());
    expect(result.usage.input_tokens).toBe(20);
    const [used] = Object.values(result.modelUsage);
    expect(used?.inputTokens).toBe(40);
    expect(used?.costUSD).toBeCloseTo(result.total_cost_usd);
  });

  it('says in the messages about its task what its own requests have cost', async () => {
    const { engine, run } = agentsUnderTest(
      {
        main: [startAgents('one', 'two'), say('Done.')],
        one: [callTool('Look'), say('1')],
        two: [say('2')],
      },
      { tools: [fakeTool({ name: 'Look' })] },
    );
    const told = taskUsage(engine);
    const total = resultIn(await run()).total_cost_usd;
    const each = total / 5;
    expect(told('task_progress')).toEqual([
      expect.objectContaining({ cost_usd: expect.closeTo(each, 9), cost_basis: 'list' }),
    ]);
    const ends = told('task_notification').map(({ cost_usd }) => cost_usd);
    expect(ends.toSorted()).toEqual([expect.closeTo(each, 9), expect.closeTo(2 * each, 9)]);
  });

  it('says that its cost is not known where its model has no price', async () => {
    const { engine, run } = agentsUnderTest(
      { main: [startAgent('dig'), say('Done.')], dig: [say('Found it.')] },
      { agents: [{ name: 'worker', description: 'w', prompt: 'p', model: 'homemade' }] },
    );
    const told = taskUsage(engine);
    await run();
    expect(told('task_notification')).toMatchObject([{ cost_usd: 0, cost_basis: 'unknown' }]);
  });

  it('has a recorded conversation of its own, beside the session', async () => {
    const { run, store, engine } = agentsUnderTest({
      main: [startAgent('dig'), say('Done.')],
      dig: [say('Found it.')],
    });
    const [answer] = answersIn(await run());
    const own = store.entries(`agent-${answer?.data['agentId']}`);
    expect(own.map(({ type }) => type)).toContain('assistant');
    expect(own.every((entry) => 'isSidechain' in entry && entry.isSidechain === true)).toBe(true);
    const main = store
      .entries(engine.sessionId)
      .flatMap((entry) => (entry.type === 'assistant' ? [entry.uuid] : []));
    expect(new Set(main).size).toBe(2);
  });

  it('gets the tools its definition names, never those of the main conversation alone', async () => {
    const tools = ['Look', 'Touch', 'Burn'].map((name) => fakeTool({ name }));
    const { run, asked } = agentsUnderTest(
      { main: [startAgent('dig'), say('Done.')], dig: [say('Ok.')] },
      {
        tools,
        agents: [
          {
            name: 'worker',
            description: 'w',
            prompt: 'p',
            tools: ['Look', 'Burn', 'Agent'],
            disallowedTools: ['Burn'],
          },
        ],
      },
    );
    await run();
    expect(asked('dig')[0]?.tools.map(({ name }) => name)).toEqual(['Look']);
    expect(asked('main')[0]?.tools.map(({ name }) => name)).toEqual([
      'Look',
      'Touch',
      'Burn',
      'Agent',
      'SendMessage',
    ]);
  });

  it('one that cannot begin says why', async () => {
    const { run } = agentsUnderTest(
      { main: [startAgent('dig'), say('Done.')] },
      {
        maxBudgetUsd: 5,
        agents: [{ name: 'worker', description: 'w', prompt: 'p', model: 'homemade' }],
      },
    );
    expect(answersIn(await run())).toMatchObject([{ text: expect.stringContaining('price of homemade') }]);
  });

  it('an agent that does not exist is named, with those that do', async () => {
    const { run } = agentsUnderTest({ main: [startAgent('dig', { subagent_type: 'poet' }), say('Done.')] });
    expect(answersIn(await run())).toMatchObject([
      {
        isError: true,
        text: expect.stringContaining('There is no agent "poet". These can be started: worker, fork.'),
      },
    ]);
  });
});
