import { callTool, fakeTool, reply, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { agentsUnderTest, answersIn, startAgent } from '../../subagents/agents-under-test.ts';

interface Seen {
  readonly tool_name: unknown;
  readonly agent_id: unknown;
  readonly agent_type: unknown;
}

function denying(name: string) {
  const seen: Seen[] = [];
  return {
    seen,
    hooks: {
      PreToolUse: [
        {
          hooks: [
            async (input: Readonly<Record<string, unknown>>) => {
              const { tool_name, agent_id, agent_type } = input;
              seen.push({ tool_name, agent_id, agent_type });
              if (tool_name !== name) return {};
              return {
                hookSpecificOutput: {
                  hookEventName: 'PreToolUse' as const,
                  permissionDecision: 'deny',
                  permissionDecisionReason: 'not here',
                },
              };
            },
          ],
        },
      ],
    },
  };
}

it('F92 a deny of a hook holds for every call inside a subagent, built-in and MCP alike', async () => {
  for (const name of ['Burn', 'mcp__s__burn']) {
    const burn = fakeTool({ name });
    const { hooks, seen } = denying(name);
    const { run, asked } = agentsUnderTest(
      {
        main: [startAgent('dig'), say('Done.')],
        dig: [callTool(name), say('I was not let.')],
      },
      name.startsWith('mcp__')
        ? { hooks, mcpClients: [{ name: 's', status: 'connected', tools: [burn] }] }
        : { hooks, tools: [burn] },
    );
    const messages = await run();
    expect(burn.calls).toEqual([]);
    expect(JSON.stringify(asked('dig')[1]?.view)).toContain('not here');
    expect(seen).toEqual([
      { tool_name: 'Agent', agent_id: undefined, agent_type: undefined },
      { tool_name: name, agent_id: answersIn(messages)[0]?.data['agentId'], agent_type: 'worker' },
    ]);
  }
});

it('F92 and for the start of a subagent itself', async () => {
  const { hooks } = denying('Agent');
  const { run, asked } = agentsUnderTest(
    { main: [reply([startAgent('dig')]), say('Done.')], dig: [] },
    { hooks },
  );
  expect(answersIn(await run())).toMatchObject([
    { isError: true, text: expect.stringContaining('not here') },
  ]);
  expect(asked('dig')).toEqual([]);
});
