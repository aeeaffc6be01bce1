/** What fills the context of a session, by category (`get_context_usage`). Figures are tokens. */
import type { Usage } from '../model/wire.ts';

type ContextCategoryId =
  | 'system_prompt'
  | 'system_tools'
  | 'mcp_tools'
  | 'mcp_instructions'
  | 'mcp_tools_deferred'
  | 'system_tools_deferred'
  | 'custom_agents'
  | 'memory_files'
  | 'skills'
  | 'messages'
  | 'tool_results'
  | 'autocompact_buffer'
  | 'free_space';

/** One part of the context window, with its tokens. */
export interface ContextCategory {
  readonly id: ContextCategoryId;
  readonly name: string;
  readonly tokens: number;
  /** Color name, which a screen can map to a color of its own. */
  readonly color: string;
  /** `deferred`: only the name is in the window until it is loaded. */
  readonly kind: 'used' | 'free' | 'buffer' | 'deferred';
  /** Present for the kind `deferred`. */
  readonly isDeferred?: true;
}

export interface ContextSquare {
  readonly color: string;
  readonly isFilled: boolean;
  readonly categoryName: string;
  readonly tokens: number;
  /** Percentage of the window, 0 to 100. */
  readonly percentage: number;
  /** Share of the square that the category fills, 0 to 1. */
  readonly squareFullness: number;
}

/** How full the context window of a session is. */
export interface ContextSize {
  /**
   * Tokens in use: the figure reported by the provider if there is one, plus an estimate of what was appended
   * since.
   */
  readonly totalTokens: number;
  /** Usable size of the view. */
  readonly maxTokens: number;
  /** Size of the window. */
  readonly rawMaxTokens: number;
  /** `totalTokens` of `rawMaxTokens`, 0 to 100, rounded. */
  readonly percentage: number;
  readonly model: string;
  /** Tokens at which the conversation is compacted; absent if that is off. */
  readonly autoCompactThreshold?: number;
  readonly isAutoCompactEnabled: boolean;
  /** Usage of the last response; null before the first: then all of `totalTokens` is estimated. */
  readonly apiUsage: Pick<
    Usage,
    'input_tokens' | 'output_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens'
  > | null;
}

/** What fills the context window of a session. All figures are tokens. */
export interface ContextUsage extends ContextSize {
  readonly categories: readonly ContextCategory[];
  /** The categories as a grid of ten rows. */
  readonly gridRows: readonly (readonly ContextSquare[])[];
  readonly memoryFiles: readonly {
    readonly path: string;
    /** Scope: `User`, `Project` or `Local`. */
    readonly type: string;
    readonly tokens: number;
  }[];
  readonly mcpTools: readonly {
    readonly name: string;
    readonly serverName: string;
    readonly tokens: number;
    /** false: deferred, not in the window. */
    readonly isLoaded: boolean;
  }[];
  /** Instructions of MCP servers, by server. */
  readonly mcpInstructions?: readonly { readonly serverName: string; readonly tokens: number }[];
  /** Built-in tools that are deferred; absent if there are none. */
  readonly deferredBuiltinTools?: readonly {
    readonly name: string;
    readonly tokens: number;
    readonly isLoaded: false;
  }[];
  /** Descriptions of agents that are not built in. */
  readonly agents: readonly {
    readonly agentType: string;
    /** `projectSettings`, `userSettings`, `flagSettings`, `plugin`, or `sdk` for an agent of the host. */
    readonly source: string;
    /** Absolute path of its file; absent if it has none. */
    readonly path?: string;
    readonly tokens: number;
  }[];
  /** Commands that a user can call. Only skills among them are described to the model. Absent if unknown. */
  readonly slashCommands?: {
    readonly totalCommands: number;
    readonly includedCommands: number;
    readonly tokens: number;
  };
  /** Descriptions of skills, without their texts; absent if there are none. */
  readonly skills?: {
    readonly totalSkills: number;
    readonly includedSkills: number;
    readonly tokens: number;
    readonly skillFrontmatter: readonly {
      readonly name: string;
      /** `projectSettings`, `userSettings`, `plugin`, or `unknown` if the skill no longer exists. */
      readonly source: string;
      readonly pluginName?: string;
      /** Absolute. */
      readonly path?: string;
      readonly tokens: number;
    }[];
  };
  /** Built-in tools in the window. */
  readonly systemTools: readonly { readonly name: string; readonly tokens: number }[];
  /** What the messages consist of, estimated. */
  readonly messageBreakdown: {
    readonly toolCallTokens: number;
    readonly toolResultTokens: number;
    readonly attachmentTokens: number;
    readonly assistantMessageTokens: number;
    readonly userMessageTokens: number;
    /** Always 0. */
    readonly redirectedContextTokens: number;
    /** Always 0: the provider's total is distributed over the categories. */
    readonly unattributedTokens: number;
    /** Largest first. */
    readonly toolCallsByType: readonly {
      readonly name: string;
      readonly callTokens: number;
      readonly resultTokens: number;
    }[];
    readonly attachmentsByType: readonly { readonly name: string; readonly tokens: number }[];
  };
}
