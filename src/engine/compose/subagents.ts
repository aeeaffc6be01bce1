/** The Agent tool in a session: which agents it offers, and the way back into the engine that runs them. */
import type { AgentDefinition } from '../../protocol/agent.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Ids } from '../../protocol/ports.ts';
import type { SDKMessage } from '../../protocol/sdk-messages.ts';
import type { AnyTool } from '../../protocol/tool.ts';
import type { SkillToolPorts } from '../../skills/skill-tool.ts';
import { AGENT_TOOL, type AgentToolInput, createAgentTool } from '../../subagents/agent-tool.ts';
import { GENERAL_PURPOSE } from '../../subagents/built-in.ts';
import { findAgent } from '../../subagents/catalog.ts';
import { createQuota } from '../../subagents/quota.ts';
import { selectTools } from '../../subagents/select-tools.ts';
import { type StartPorts, startAgent } from '../../subagents/start-agent.ts';
import { parserOf } from '../../tools/from-json-schema.ts';
import { oncePer } from '../../util/once-per.ts';
import type { QueryEngineConfig } from '../config.ts';
import { tellTaken } from '../deliveries.ts';
import { agentsIn } from '../session-facts.ts';
import type { SessionRoom } from './agent-parts.ts';

export interface SubagentRoom {
  /** The Agent tool, or none; the same array while the agents are the same. */
  tools(): readonly AnyTool[];
  /** Agents of plugins that were read again can be started from here on. */
  takeUp(): void;
  /** What the main thread gets of the session's tools. */
  forMain(all: () => readonly AnyTool[]): () => readonly AnyTool[];
  /** See `SkillToolPorts`. */
  readonly fork: SkillToolPorts['fork'];
  /** Hands over what agents are made of; before the first call. */
  link(room: SessionRoom): void;
}

export function composeSubagents(config: QueryEngineConfig, { ids }: { readonly ids: Ids }): SubagentRoom {
  const { mainAgent } = config;
  let agents = agentsIn(config);
  let tools: readonly AnyTool[] | undefined;
  const quota = createQuota(config.agentLimits ?? {});
  let linked: SessionRoom | undefined;
  const offered = (all: readonly AnyTool[], depth: number) =>
    depth < quota.maxDepth ? all : all.filter(({ name }) => name !== AGENT_TOOL);
  const start: StartPorts = {
    quota,
    newId: () => `a${ids.uuid().replaceAll('-', '').slice(-16)}`,
    show(progress) {
      linked?.parts.announcer.say(progress['message'] as SDKMessage);
      // Nobody is waited for who may not even listen.
      tellTaken(progress);
    },
    // Loaded by the first agent.
    async *spawn(request, signal) {
      if (linked === undefined)
        throw new Error('An agent was asked for before its session was put together.');
      const room = linked;
      const [{ runAgent }, { composeAgentParts }] = await Promise.all([
        import('../agent-run.ts'),
        import('./agent-parts.ts'),
      ]);
      return yield* runAgent({
        request,
        signal,
        session: room.parts,
        compose: (model, scope) => composeAgentParts(request, model, scope, room, offered),
      });
    },
  };
  const offer = (offered: readonly AgentDefinition[]): readonly AnyTool[] => {
    if (offered.length === 0 || quota.maxDepth <= 0) return [];
    const parser = (schema: JsonObject) => parserOf<AgentToolInput>(schema);
    return [
      createAgentTool({ ...start, agents: offered, parser, background: config.backgroundTasks !== false }),
    ];
  };
  return {
    tools() {
      tools ??= offer(agents);
      return tools;
    },
    takeUp() {
      const now = agentsIn(config);
      if (isSame(now, agents)) return;
      agents = now;
      tools = undefined;
    },
    forMain(all) {
      const main = mainAgent === undefined ? undefined : findAgent(mainAgent, agents);
      if (main === undefined) return all;
      const selected = oncePer((now: readonly AnyTool[]) => selectTools(main, now));
      return () => selected(all());
    },
    fork(skill, prompt, context) {
      if (agents.length === 0 || context.queryTracking.depth >= quota.maxDepth) return undefined;
      const { name, agent = GENERAL_PURPOSE, model, effort } = skill;
      const definition = findAgent(agent, agents);
      if (definition === undefined)
        throw new Error(`The skill "${name}" is for the agent "${agent}", which this session does not have.`);
      const background = definition.background === true;
      return startAgent({ definition, description: name, prompt, model, effort, background }, context, start);
    },
    link(room) {
      linked = room;
    },
  };
}

/** What plugins bring is read anew each time, and mostly says the same. */
function isSame(now: readonly AgentDefinition[], before: readonly AgentDefinition[]): boolean {
  const identical = now.length === before.length && now.every((agent, at) => agent === before[at]);
  return identical || JSON.stringify(now) === JSON.stringify(before);
}
