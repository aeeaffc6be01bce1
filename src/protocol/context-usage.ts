/** What fills the context of a session, by category (`get_context_usage`). Figures are tokens. */
import type { Usage } from './wire.ts';

export type ContextCategoryId =
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

export interface ContextCategory {
  readonly id: ContextCategoryId;
  readonly name: string;
  readonly tokens: number;
  /** A name that a screen may map to a colour of its own. */
  readonly color: string;
  /** `deferred`: told by name, and outside of the window until it is loaded. */
  readonly kind: 'used' | 'free' | 'buffer' | 'deferred';
  /** Of that kind. */
  readonly isDeferred?: true;
}

export interface ContextSquare {
  readonly color: string;
  readonly isFilled: boolean;
  readonly categoryName: string;
  readonly tokens: number;
  /** Of the window, 0 to 100. */
  readonly percentage: number;
  /** How much of the square the category fills, 0 to 1. */
  readonly squareFullness: number;
}

export interface ContextUsage {
  readonly categories: readonly ContextCategory[];
  /** In use: the provider's own figure where there is one, with an estimate of what came after it. */
  readonly totalTokens: number;
  /** What the view may fill. */
  readonly maxTokens: number;
  /** The window. */
  readonly rawMaxTokens: number;
  /** `totalTokens` of `rawMaxTokens`, 0 to 100, rounded. */
  readonly percentage: number;
  /** The categories as a picture, ten rows. */
  readonly gridRows: readonly (readonly ContextSquare[])[];
  readonly model: string;
  readonly memoryFiles: readonly {
    readonly path: string;
    /** Whose it is: `User`, `Project` or `Local`. */
    readonly type: string;
    readonly tokens: number;
  }[];
  readonly mcpTools: readonly {
    readonly name: string;
    readonly serverName: string;
    readonly tokens: number;
    /** false: it waits to be loaded, outside of the window. */
    readonly isLoaded: boolean;
  }[];
  /** What servers say about their use, by server. */
  readonly mcpInstructions?: readonly { readonly serverName: string; readonly tokens: number }[];
  /** Tools of the engine's own that wait to be loaded; absent: there are none. */
  readonly deferredBuiltinTools?: readonly {
    readonly name: string;
    readonly tokens: number;
    readonly isLoaded: false;
  }[];
  /** What the model is told of agents that are not built in. */
  readonly agents: readonly {
    readonly agentType: string;
    /** `projectSettings`, `userSettings`, `flagSettings`, `plugin`, or `sdk` for one that the host made. */
    readonly source: string;
    /** Absolute; absent: it is from no file. */
    readonly path?: string;
    readonly tokens: number;
  }[];
  /** Those that a user may call; the model is told of none of them but skills. Absent: it is not known. */
  readonly slashCommands?: {
    readonly totalCommands: number;
    readonly includedCommands: number;
    readonly tokens: number;
  };
  /** What the model is told of skills, without their texts; absent: of none. */
  readonly skills?: {
    readonly totalSkills: number;
    readonly includedSkills: number;
    readonly tokens: number;
    readonly skillFrontmatter: readonly {
      readonly name: string;
      /** `projectSettings`, `userSettings`, `plugin`; `unknown` where there is none of this name any more. */
      readonly source: string;
      readonly pluginName?: string;
      /** Absolute. */
      readonly path?: string;
      readonly tokens: number;
    }[];
  };
  readonly systemTools: readonly { readonly name: string; readonly tokens: number }[];
  readonly autoCompactThreshold?: number;
  readonly isAutoCompactEnabled: boolean;
  readonly messageBreakdown: {
    readonly toolCallTokens: number;
    readonly toolResultTokens: number;
    readonly attachmentTokens: number;
    readonly assistantMessageTokens: number;
    readonly userMessageTokens: number;
    /** Always 0: nothing is redirected. */
    readonly redirectedContextTokens: number;
    /** Always 0: what the provider counts is shared out among the others. */
    readonly unattributedTokens: number;
    /** Largest first. */
    readonly toolCallsByType: readonly {
      readonly name: string;
      readonly callTokens: number;
      readonly resultTokens: number;
    }[];
    readonly attachmentsByType: readonly { readonly name: string; readonly tokens: number }[];
  };
  /** Of the last answer; null before the first. */
  readonly apiUsage: Pick<
    Usage,
    'input_tokens' | 'output_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens'
  > | null;
}
