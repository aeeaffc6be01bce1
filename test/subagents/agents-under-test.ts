/** A session whose main agent and subagents each have a script of their own, whatever order they ask in. */

import type { CallModel } from '@turnwright/engine/protocol/model/model.ts';
import type { SDKResultMessage } from '@turnwright/engine/protocol/stream/result-message.ts';
import type { SDKMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import type { AgentDefinition } from '@turnwright/engine/protocol/tools/agent.ts';
import {
  callTool,
  type RecordedRequest,
  type RecordingStore,
  type Reply,
  recordingStore,
  reply,
  type ScriptedModel,
  type ScriptStep,
  scriptedModel,
  sequentialIds,
  type VirtualClock,
  virtualClock,
} from '@turnwright/testing';
import type { QueryEngineConfig } from '../../packages/engine/src/engine/config.ts';
import { QueryEngine } from '../../packages/engine/src/engine/query-engine.ts';

export const WORKER: AgentDefinition = { name: 'worker', description: 'Works.', prompt: 'You work.' };

/** A call of the Agent tool; its prompt is the name of the script that the agent plays. */
export function startAgent(prompt: string, input: Readonly<Record<string, unknown>> = {}): Reply {
  const { id, ...rest } = input;
  return callTool(
    'Agent',
    { description: `do ${prompt}`, prompt, subagent_type: 'worker', ...rest },
    typeof id === 'string' ? { id } : {},
  );
}

export const startAgents = (...prompts: readonly string[]): Reply =>
  reply(prompts.map((prompt) => startAgent(prompt, { id: `toolu_${prompt}` })));

export interface AgentsUnderTest {
  readonly engine: QueryEngine;
  readonly store: RecordingStore;
  readonly clock: VirtualClock;
  /** What was asked under this prompt (`main`: by the main agent), in order. */
  asked(prompt: string): readonly RecordedRequest[];
  run(): Promise<SDKMessage[]>;
}

/** Scripts by the prompt they answer; `main` is the main agent's. */
export function agentsUnderTest(
  scripts: Readonly<Record<string, readonly ScriptStep[]>>,
  config: Partial<QueryEngineConfig> = {},
): AgentsUnderTest {
  const models = new Map<string, ScriptedModel>(
    Object.entries(scripts).map(([prompt, script]) => [prompt, scriptedModel(script)]),
  );
  const callModel: CallModel = (request, options) => {
    const [first] = request.view;
    const content = first?.type === 'user' ? first.message.content : undefined;
    const prompt = request.querySource === 'main' ? 'main' : String(content);
    const model = models.get(prompt);
    if (model === undefined) throw new Error(`There is no script for "${prompt}".`);
    return model.callModel(request, options);
  };
  const store = recordingStore();
  const clock = virtualClock();
  const engine = new QueryEngine({
    cwd: '/work',
    tools: [],
    agents: [WORKER],
    systemPrompt: [],
    callModel,
    clock,
    ids: sequentialIds(),
    random: () => 0.5,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    compaction: { history: false },
    store,
    ...config,
  });
  return {
    engine,
    store,
    clock,
    asked: (prompt) => models.get(prompt)?.requests ?? [],
    async run() {
      const all: SDKMessage[] = [];
      for await (const message of engine.submitMessage('Go.')) all.push(message);
      return all;
    },
  };
}

export function resultIn(messages: readonly SDKMessage[]): SDKResultMessage {
  const last = messages.findLast((message) => message.type === 'result');
  if (last?.type !== 'result') throw new Error('There is no result.');
  return last;
}

export interface AgentAnswer {
  readonly id: string;
  /** Without the line that says how to go on with the agent. */
  readonly text: string;
  readonly address: string;
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

function splitAddress(text: string): Pick<AgentAnswer, 'text' | 'address'> {
  const at = text.lastIndexOf('\n\n(Agent ');
  return at < 0 ? { text, address: '' } : { text: text.slice(0, at), address: text.slice(at + 2) };
}

/** Results of the main agent's calls, in the order they were shown. */
export function answersIn(messages: readonly SDKMessage[]): readonly AgentAnswer[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || message.parent_tool_use_id !== null) return [];
    const { content } = message.message;
    if (typeof content === 'string') return [];
    return content.flatMap((block) =>
      block.type === 'tool_result'
        ? [
            {
              id: block.tool_use_id,
              ...splitAddress(
                typeof block.content === 'string' ? block.content : JSON.stringify(block.content),
              ),
              isError: block.is_error === true,
              data: (message.tool_use_result ?? {}) as Readonly<Record<string, unknown>>,
            },
          ]
        : [],
    );
  });
}
