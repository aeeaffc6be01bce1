/** Subagents (L11): what one is, what is asked of it, and how it can end. */

import type { EffortLevel, ResultUsage } from '../model/wire.ts';
import type { Cost } from '../session/spending.ts';
import type { PermissionMode } from './permission.ts';
import type { ToolProgress } from './tool.ts';

/** An agent that the main agent may start, or that the main thread itself runs as. */
export interface AgentDefinition {
  readonly name: string;
  /** When to use it; the model reads this. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /**
   * Names of the tools it gets; default every tool of the session. `mcp__server` means all of that server.
   */
  readonly tools?: readonly string[] | undefined;
  /** Tools it does not get; `mcp__server` means all of that server, `mcp__*` those of every server. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** Id or alias. Default, and `inherit`: the model of the agent that starts it. */
  readonly model?: string | undefined;
  readonly effort?: EffortLevel | undefined;
  /**
   * MCP servers it gets regardless of `tools`: names of servers of the session, or configurations of servers
   * that live as long as the agent.
   */
  readonly mcpServers?: readonly AgentServer[] | undefined;
  /** Skills whose text is preloaded into its conversation. */
  readonly skills?: readonly string[] | undefined;
  /** Keeps notes from one run to the next, in the given scope. */
  readonly memory?: AgentMemoryScope | undefined;
  /** Turns after which it ends; default unlimited. */
  readonly maxTurns?: number | undefined;
  /** Takes effect only where it is stricter than the session's own mode. */
  readonly permissionMode?: PermissionMode | undefined;
  /** It always runs in the background. */
  readonly background?: boolean | undefined;
  /** Prepended to the first prompt when the main thread runs as this agent. */
  readonly initialPrompt?: string | undefined;
  /** It does not get the project's memory files. */
  readonly omitClaudeMd?: boolean | undefined;
  /** Tokens; lowers the window at which it compacts its own conversation. */
  readonly autoCompactWindow?: number | undefined;
  /**
   * Hooks by event, as in a settings file: they run in this agent alone, its `Stop` hooks as `SubagentStop`.
   */
  readonly hooks?: Readonly<Record<string, unknown>> | undefined;
  /** Appended to its system prompt. */
  readonly criticalSystemReminder_EXPERIMENTAL?: string | undefined;
  /**
   * Where the definition was found; absent for one that the host passed in. Set by the reader of the file.
   */
  readonly from?: AgentOrigin | undefined;
}

export interface AgentOrigin {
  readonly source: 'built-in' | 'projectSettings' | 'userSettings' | 'flagSettings' | 'plugin';
  /** Absolute path of its file; absent if it has none. */
  readonly path?: string | undefined;
}

/** A server by name, or configurations by name. */
export type AgentServer = string | Readonly<Record<string, unknown>>;

type AgentMemoryScope = 'user' | 'project' | 'local';

/**
 * Why an agent ended. Everything but `completed` is reported to its caller as an error, together with its
 * text so far.
 */
export type AgentEnd =
  | 'completed'
  | 'max_turns'
  | 'budget'
  | 'deadline'
  | 'aborted'
  | 'stopped_by_hook'
  | 'error'
  /** Its process ended first. */
  | 'lost';

export interface AgentOutcome extends Cost {
  readonly end: AgentEnd;
  /** What was wrong, in a sentence; absent when it completed. */
  readonly why?: string | undefined;
  /** Its answer; when it did not complete, its last text. */
  readonly text: string;
  /** The model of its last request. */
  readonly model: string;
  readonly usage: ResultUsage;
  /** Tokens of all its requests, cached tokens included. */
  readonly totalTokens: number;
  readonly totalToolUseCount: number;
  readonly totalDurationMs: number;
  /** Names, each once. */
  readonly toolsUsed: readonly string[];
}

/** What an agent may do, as it was when the agent began. A later run is never allowed more. */
export interface AgentLimits
  extends Pick<AgentDefinition, 'tools' | 'disallowedTools' | 'permissionMode' | 'skills' | 'memory'> {
  /** Names alone: configurations may hold secrets. */
  readonly mcpServers?: readonly string[] | undefined;
}

export interface SpawnRequest {
  readonly agentId: string;
  readonly definition: AgentDefinition;
  /** A few words, for people. */
  readonly description: string;
  readonly prompt: string;
  /** Beats the definition's. */
  readonly model?: string | undefined;
  readonly effort?: EffortLevel | undefined;
  /** The Agent call that starts it, and the submission of that call. */
  readonly toolUseId: string;
  readonly submission: string;
  /** Nesting depth: 1 for an agent that the main agent starts. */
  readonly depth: number;
  readonly parentAgentId?: string | undefined;
  readonly background: boolean;
  /** A name by which it can be addressed later. */
  readonly name?: string | undefined;
  /** Which of its runs this is; default 1. A later one goes on with its conversation. */
  readonly run?: number | undefined;
  /** What it was allowed when it began; a later run is allowed no more. */
  readonly limits?: AgentLimits | undefined;
}

/**
 * Runs one agent to its end. A failed agent is an outcome, not an exception. Aborting the signal ends the
 * agent and its own agents within 100 ms.
 */
export type Spawn = (
  request: SpawnRequest,
  signal: AbortSignal,
) => AsyncGenerator<ToolProgress, AgentOutcome>;
