/** Subagents (L11): what one is, what is asked of it, and how it can end. */

import type { PermissionMode } from './permission.ts';
import type { ToolProgress } from './tool.ts';
import type { EffortLevel, ResultUsage } from './wire.ts';

/** An agent that the main one may start, or that the main thread itself is run as. */
export interface AgentDefinition {
  readonly name: string;
  /** When to use it; the model reads this. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Names of the tools it gets; default every tool of the session. `mcp__server` means all of that server. */
  readonly tools?: readonly string[] | undefined;
  /** Tools that it does not get; `mcp__server` means all of that server, `mcp__*` of all. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** Id or alias; default, and `inherit`: the model of whoever starts it. */
  readonly model?: string | undefined;
  readonly effort?: EffortLevel | undefined;
  /** MCP servers it gets whatever `tools` says: names of the session's, and configurations that live as long as it does. */
  readonly mcpServers?: readonly AgentServer[] | undefined;
  /** Skills whose text it begins with. */
  readonly skills?: readonly string[] | undefined;
  /** It keeps notes of its own from one run to the next; whose they are says where. */
  readonly memory?: AgentMemoryScope | undefined;
  /** Turns after which it ends; default unlimited. */
  readonly maxTurns?: number | undefined;
  /** Takes effect only where it is stricter than the session's own mode. */
  readonly permissionMode?: PermissionMode | undefined;
  /** It always runs in the background. */
  readonly background?: boolean | undefined;
  /** Stands before the first prompt when the main thread is this agent. */
  readonly initialPrompt?: string | undefined;
  /** It does not get the project's memory files. */
  readonly omitClaudeMd?: boolean | undefined;
  /** Tokens; lowers the window at which it compacts its own conversation. */
  readonly autoCompactWindow?: number | undefined;
  /** Stands behind its system prompt. */
  readonly criticalSystemReminder_EXPERIMENTAL?: string | undefined;
  /** Where it was found; absent: the host made it. Set by whoever read it. */
  readonly from?: AgentOrigin | undefined;
}

export interface AgentOrigin {
  readonly source: 'built-in' | 'projectSettings' | 'userSettings' | 'flagSettings' | 'plugin';
  /** Absolute; absent: it is from no file. */
  readonly path?: string | undefined;
}

/** A name, or configurations by name as they were written. */
export type AgentServer = string | Readonly<Record<string, unknown>>;

export type AgentMemoryScope = 'user' | 'project' | 'local';

/** Why an agent is over. Everything but `completed` is told to whoever started it as an error, with what it had said. */
export type AgentEnd =
  | 'completed'
  | 'max_turns'
  | 'budget'
  | 'deadline'
  | 'aborted'
  | 'stopped_by_hook'
  | 'error';

export interface AgentOutcome {
  readonly end: AgentEnd;
  /** What was wrong, in a sentence; absent when it completed. */
  readonly why?: string | undefined;
  /** Its answer; what it had said last when it did not complete. */
  readonly text: string;
  /** The model it was last asked with. */
  readonly model: string;
  readonly usage: ResultUsage;
  /** Tokens of all its requests together, those of the cache included. */
  readonly totalTokens: number;
  readonly totalToolUseCount: number;
  readonly totalDurationMs: number;
  /** Names, each once. */
  readonly toolsUsed: readonly string[];
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
  /** The Agent call that asks for it, and the submission of that call. */
  readonly toolUseId: string;
  readonly submission: string;
  /** How deep it will run: 1 is started by the main agent. */
  readonly depth: number;
  readonly parentAgentId?: string | undefined;
  readonly background: boolean;
}

/**
 * Runs one agent to its end. Never throws for an agent that fails: that is an outcome. Aborting the signal ends it,
 * with all its own agents, within 100 ms.
 */
export type Spawn = (
  request: SpawnRequest,
  signal: AbortSignal,
) => AsyncGenerator<ToolProgress, AgentOutcome>;
