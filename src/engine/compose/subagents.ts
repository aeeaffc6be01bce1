/** The Agent tool in a session: which agents it offers, and the way back into the engine that runs them. */
import type { AgentDefinition } from '../../protocol/agent.ts';
import type { Ids } from '../../protocol/ports.ts';
import type { SDKMessage } from '../../protocol/sdk-messages.ts';
import type { AnyTool } from '../../protocol/tool.ts';
import { AGENT_TOOL, type AgentToolInput, createAgentTool } from '../../subagents/agent-tool.ts';
import { findAgent } from '../../subagents/catalog.ts';
import { createQuota } from '../../subagents/quota.ts';
import { selectTools } from '../../subagents/select-tools.ts';
import { parserOf } from '../../tools/from-json-schema.ts';
import { runAgent } from '../agent-run.ts';
import type { QueryEngineConfig } from '../config.ts';
import { composeAgentParts, type SessionRoom } from './agent-parts.ts';

export interface SubagentRoom {
  /** The Agent tool, or none. */
  readonly tools: readonly AnyTool[];
  /** What the main thread gets of the session's tools. */
  forMain(all: () => readonly AnyTool[]): () => readonly AnyTool[];
  /** Hands over what agents are made of; before the first call. */
  link(room: SessionRoom): void;
}

export function composeSubagents(config: QueryEngineConfig, { ids }: { readonly ids: Ids }): SubagentRoom {
  const { agents = [], mainAgent } = config;
  const quota = createQuota(config.agentLimits ?? {});
  let linked: SessionRoom | undefined;
  const offered = (all: readonly AnyTool[], depth: number) =>
    depth < quota.maxDepth ? all : all.filter(({ name }) => name !== AGENT_TOOL);
  const tool = createAgentTool({
    agents,
    quota,
    newId: () => `a${ids.uuid().replaceAll('-', '').slice(-16)}`,
    parser: (schema) => parserOf<AgentToolInput>(schema),
    background: config.backgroundTasks !== false,
    show: ({ message }) => linked?.parts.announcer.say(message as SDKMessage),
    spawn(request, signal) {
      if (linked === undefined)
        throw new Error('An agent was asked for before its session was put together.');
      const room = linked;
      return runAgent({
        request,
        signal,
        session: room.parts,
        compose: (model, scope) => composeAgentParts(request, model, scope, room, offered),
      });
    },
  });
  return {
    tools: agents.length > 0 && quota.maxDepth > 0 ? [tool] : [],
    forMain: (all) => {
      const main = mainAgent === undefined ? undefined : findAgent(mainAgent, agents);
      return main === undefined ? all : selectedFor(main, all);
    },
    link(room) {
      linked = room;
    },
  };
}

/** The same array while the session's own is. */
function selectedFor(main: AgentDefinition, all: () => readonly AnyTool[]): () => readonly AnyTool[] {
  let from: readonly AnyTool[] | undefined;
  let selected: readonly AnyTool[] = [];
  return () => {
    const now = all();
    if (now !== from) {
      from = now;
      selected = selectTools(main, now);
    }
    return selected;
  };
}
