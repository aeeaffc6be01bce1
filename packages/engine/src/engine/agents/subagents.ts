/** The Agent tool in a session: which agents it offers, and the way back into the engine that runs them. */

import { extended } from '@turnwright/base/collections/extended.ts';
import { isSameList, oncePer } from '@turnwright/base/collections/made-once.ts';
import { OPTIONS } from '../../options/table.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Ids } from '../../protocol/ports.ts';
import type { Recorder } from '../../protocol/session/journal.ts';
import type { SubagentStats } from '../../protocol/stream/result-message.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { AgentDefinition, AgentOutcome, SpawnRequest } from '../../protocol/tools/agent.ts';
import type { KnownAgent } from '../../protocol/tools/agent-runs.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import type { SkillToolPorts } from '../../skills/skill-tool.ts';
import { AgentRoster } from '../../subagents/agent-roster.ts';
import { AGENT_TOOL, createAgentTool } from '../../subagents/agent-tool.ts';
import { GENERAL_PURPOSE } from '../../subagents/built-in.ts';
import { findAgent } from '../../subagents/catalog.ts';
import { FORK_AGENT, isFork } from '../../subagents/fork-agent.ts';
import { type AgentQuota, createQuota, type QuotaLimits } from '../../subagents/quota.ts';
import { selectTools } from '../../subagents/select-tools.ts';
import { createSendMessageTool, SEND_MESSAGE_TOOL } from '../../subagents/send-message-tool.ts';
import { type StartPorts, startAgent } from '../../subagents/start-agent.ts';
import { createStats } from '../../subagents/stats.ts';
import { createParser } from '../../tools/schema/from-json-schema.ts';
import type { QueryEngineConfig } from '../config.ts';
import { agentsIn } from '../host/session-listings.ts';
import { tellTaken } from '../output/block-acknowledgements.ts';
import type { HostChannel } from '../session/host-channel.ts';
import type { RunKeeper } from './keep-runs.ts';

/** The session that agents belong to. */
interface LinkedSession {
  readonly host: HostChannel;
  readonly recorder: Recorder;
  /** Runs an agent; what that takes is loaded by the first one. */
  run(...agent: [...Parameters<StartPorts['spawn']>, place: AgentPlace]): ReturnType<StartPorts['spawn']>;
}

/** What the session keeps for an agent. */
interface AgentPlace {
  /** Leaves out the tools that end at its depth. */
  readonly offered: ToolsAtDepth;
  /** Keeps its runs; undefined: it is no one's to go on with. */
  readonly keeper: RunKeeper | undefined;
}

/** The tools of these that an agent at this depth may have. */
export type ToolsAtDepth = (all: readonly AnyTool[], depth: number) => readonly AnyTool[];

export interface SubagentRoom {
  /** The Agent tool, or none; the same array while the agents are the same. */
  tools(): readonly AnyTool[];
  /** What became of agents so far. */
  counts(): SubagentStats;
  /** Agents of earlier processes of the session, which can be gone on with. */
  restore(agents: readonly KnownAgent[]): void;
  /** Agents of plugins that were read again can be started from here on. */
  takeUp(): void;
  /** What the main thread gets of the session's tools. */
  forMain(all: () => readonly AnyTool[]): () => readonly AnyTool[];
  /** See `SkillToolPorts`. */
  readonly fork: SkillToolPorts['fork'];
  /** Runs an agent that no model asked for, outside the limits of those; what it does is not shown. */
  runUnseen(...agent: Parameters<StartPorts['spawn']>): Promise<AgentOutcome>;
  /** Hands over what agents are made of; before the first call. */
  link(session: LinkedSession): void;
}

export function composeSubagents(config: QueryEngineConfig, { ids }: { readonly ids: Ids }): SubagentRoom {
  return new Subagents(config, ids);
}

const NONE: readonly AnyTool[] = Object.freeze([]);

class Subagents implements SubagentRoom {
  readonly #config: QueryEngineConfig;
  readonly #ids: Ids;
  readonly #quota: AgentQuota;
  readonly #stats = createStats();
  readonly #roster = new AgentRoster();
  #agents: readonly AgentDefinition[];
  /** The Agent tool, and the agents that it offers. */
  #offer: { readonly agents: readonly AgentDefinition[]; readonly tools: readonly AnyTool[] } | undefined;
  #linked: LinkedSession | undefined;

  constructor(config: QueryEngineConfig, ids: Ids) {
    this.#config = config;
    this.#ids = ids;
    this.#quota = createQuota(resolveQuota(config));
    this.#agents = agentsIn(config);
  }

  counts(): SubagentStats {
    return this.#stats.counts();
  }

  tools(): readonly AnyTool[] {
    const agents = this.#agents;
    if (agents.length === 0 || this.#quota.maxDepth <= 0) return NONE;
    if (this.#offer?.agents !== agents) this.#offer = { agents, tools: this.#toolsFor(agents) };
    return this.#offer.tools;
  }

  restore(agents: readonly KnownAgent[]): void {
    this.#roster.restore(agents);
    this.#quota.restore(agents.reduce((sum, { runs }) => sum + runs, 0));
  }

  takeUp(): void {
    const now = agentsIn(this.#config);
    if (!isSame(now, this.#agents)) this.#agents = now;
  }

  forMain(all: () => readonly AnyTool[]): () => readonly AnyTool[] {
    const { mainAgent } = this.#config;
    const main = mainAgent === undefined ? undefined : findAgent(mainAgent, this.#agents);
    if (main === undefined) return all;
    const selected = oncePer((now: readonly AnyTool[]) => selectTools(main, now));
    return () => selected(all());
  }

  fork(...[skill, prompt, context]: Parameters<SubagentRoom['fork']>): ReturnType<SubagentRoom['fork']> {
    if (this.#agents.length === 0 || context.queryTracking.depth >= this.#quota.maxDepth) return undefined;
    const { name, agent = GENERAL_PURPOSE, model, effort } = skill;
    const definition = findAgent(agent, this.#agents);
    if (definition === undefined)
      throw new Error(`The skill "${name}" is for the agent "${agent}", which this session does not have.`);
    const background = definition.background === true;
    const call = {
      definition,
      description: name,
      prompt,
      model,
      effort,
      background,
      requested: 'unset' as const,
    };
    return startAgent(call, context, this.#startPorts());
  }

  link(session: LinkedSession): void {
    this.#linked = session;
  }

  #toolsFor(named: readonly AgentDefinition[]): readonly AnyTool[] {
    const agents = findAgent(FORK_AGENT.name, named) === undefined ? [...named, FORK_AGENT] : named;
    const parser = <T>(schema: JsonObject) => createParser<T>(schema);
    const background = this.#config.backgroundTasks !== false;
    const common = extended(this.#startPorts(), { agents, parser, background });
    const start = createAgentTool(common);
    return this.#goesOn ? [start, createSendMessageTool(common)] : [start];
  }

  get #goesOn(): boolean {
    return this.#config.agentMessages !== false;
  }

  #startPorts(): StartPorts {
    return {
      quota: this.#quota,
      roster: this.#roster,
      goesOn: this.#goesOn,
      stats: this.#stats,
      newId: () => `a${this.#ids.uuid().replaceAll('-', '').slice(-16)}`,
      show: (progress) => {
        this.#linked?.host.emit(progress['message'] as SDKMessage);
        // Do not wait for a consumer: there may be none.
        tellTaken(progress);
      },
      spawn: (request, signal) => this.#spawnKept(request, signal),
    };
  }

  async runUnseen(...agent: Parameters<StartPorts['spawn']>): Promise<AgentOutcome> {
    const run = this.#spawn(...agent, undefined);
    for (;;) {
      const next = await run.next();
      if (next.done === true) return next.value;
      // Its calls wait until a consumer has taken them.
      tellTaken(next.value);
    }
  }

  async *#spawnKept(...[request, signal]: Parameters<StartPorts['spawn']>): ReturnType<StartPorts['spawn']> {
    try {
      // Loaded by the first agent.
      const { keepRuns } = await import('./keep-runs.ts');
      const keeper = keepRuns(request, this.#roster, this.#linked?.recorder);
      return yield* this.#spawn(request, signal, keeper);
    } finally {
      this.#roster.left(request.agentId);
    }
  }

  async *#spawn(
    request: SpawnRequest,
    signal: AbortSignal,
    keeper: RunKeeper | undefined,
  ): ReturnType<StartPorts['spawn']> {
    const linked = this.#linked;
    if (linked === undefined) throw new Error('An agent was asked for before its session was put together.');
    const offered = (all: readonly AnyTool[], depth: number) =>
      depth < this.#quota.maxDepth || isFork(request.definition)
        ? all
        : all.filter(({ name }) => name !== AGENT_TOOL && name !== SEND_MESSAGE_TOOL);
    return yield* linked.run(request, signal, { offered, keeper });
  }
}

/** What plugins bring is read anew each time, and mostly says the same. */
function isSame(now: readonly AgentDefinition[], before: readonly AgentDefinition[]): boolean {
  return isSameList(now, before) || JSON.stringify(now) === JSON.stringify(before);
}

function resolveQuota({
  maxSubagentDepth,
  maxSubagentsPerMessage,
  maxSubagents,
}: QueryEngineConfig): QuotaLimits {
  return {
    maxDepth: maxSubagentDepth ?? OPTIONS.maxSubagentDepth.default,
    maxPerMessage: maxSubagentsPerMessage ?? OPTIONS.maxSubagentsPerMessage.default,
    maxPerSession: maxSubagents ?? OPTIONS.maxSubagents.default,
  };
}
