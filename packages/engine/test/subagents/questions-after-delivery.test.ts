import { setImmediate } from 'node:timers/promises';
import { agentsUnderTest, startAgent, WORKER } from '@turnwright/test/subagents/agents-under-test.ts';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';

/** Everything that can happen without the consumer, has happened. */
const settle = async () => {
  for (let i = 0; i < 50; i += 1) await setImmediate();
};

const isAgentCall = (message: SDKMessage) =>
  message.type === 'assistant' &&
  message.parent_tool_use_id !== null &&
  message.message.content.some(({ type }) => type === 'tool_use');

const askedFor = (asked: string[]): Partial<QueryEngineConfig> => ({
  tools: [fakeTool({ name: 'Burn' })],
  permissionMode: 'default',
  allowRules: ['Agent'],
  hooks: {
    PreToolUse: [
      {
        matcher: 'Burn',
        hooks: [
          async () => {
            asked.push('hook');
            return {};
          },
        ],
      },
    ],
  },
  canUseTool: async (name, input) => {
    asked.push(`host:${name}`);
    return { behavior: 'allow', updatedInput: input };
  },
});

it("hooks and the host are asked about an agent's call once the consumer has received its block, and not before", async () => {
  const asked: string[] = [];
  const { engine } = agentsUnderTest(
    { main: [startAgent('dig'), say('Done.')], dig: [callTool('Burn'), say('Ash.')] },
    askedFor(asked),
  );
  let seen = 0;
  for await (const message of engine.submitMessage('Go.')) {
    if (!isAgentCall(message)) continue;
    seen += 1;
    await settle();
    expect(asked).toEqual([]);
  }
  expect(seen).toBe(1);
  expect(asked).toEqual(['hook', 'host:Burn']);
});

it('the same holds for an agent of an agent', async () => {
  const asked: string[] = [];
  const { engine } = agentsUnderTest(
    {
      main: [startAgent('dig'), say('Done.')],
      dig: [startAgent('deeper'), say('Deep.')],
      deeper: [callTool('Burn'), say('Ash.')],
    },
    { ...askedFor(asked), maxSubagentDepth: 2 },
  );
  for await (const message of engine.submitMessage('Go.')) {
    if (!isAgentCall(message) || !JSON.stringify(message).includes('Burn')) continue;
    await settle();
    expect(asked).toEqual([]);
  }
  expect(asked).toEqual(['hook', 'host:Burn']);
});

it('calls of an agent in the background do not wait for a consumer', async () => {
  const asked: string[] = [];
  const { engine } = agentsUnderTest(
    {
      main: [startAgent('dig', { run_in_background: true }), say('Started.')],
      dig: [callTool('Burn'), say('Ash.')],
    },
    askedFor(asked),
  );
  for await (const message of engine.submitMessage('Go.')) {
    // The first thing that is shown once it runs: nothing more is taken until its call was asked about.
    if (message.type !== 'user' || message.parent_tool_use_id !== null) continue;
    await settle();
    expect(asked).toEqual(['hook', 'host:Burn']);
  }
  await engine.close();
});

it('stream events of agents are emitted if both their text and partial messages are requested', async () => {
  const eventsWith = async (config: Partial<QueryEngineConfig>) => {
    const { run } = agentsUnderTest(
      { main: [startAgent('dig', { id: 'toolu_dig' }), say('Done.')], dig: [say('Gold.')] },
      { includePartialMessages: true, agents: [WORKER], ...config },
    );
    return (await run()).flatMap((message) => (message.type === 'stream_event' ? [message] : []));
  };
  const ofAgents = (events: Awaited<ReturnType<typeof eventsWith>>) =>
    events.filter(({ parent_tool_use_id }) => parent_tool_use_id === 'toolu_dig');
  const shown = await eventsWith({ forwardSubagentText: true });
  expect(ofAgents(shown).map(({ event }) => event.type)).toContain('content_block_delta');
  expect(shown.length).toBeGreaterThan(ofAgents(shown).length);
  expect(ofAgents(await eventsWith({}))).toEqual([]);
});
