/** What fills the context of a session, by category (`get_context_usage`). Figures are tokens. */
import type { Usage } from './wire.ts';

export type ContextCategoryId =
  | 'system_prompt'
  | 'system_tools'
  | 'mcp_tools'
  | 'mcp_instructions'
  | 'memory_files'
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
  readonly kind: 'used' | 'free' | 'buffer';
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
    readonly isLoaded: true;
  }[];
  /** What servers say about their use, by server. */
  readonly mcpInstructions?: readonly { readonly serverName: string; readonly tokens: number }[];
  readonly systemTools: readonly { readonly name: string; readonly tokens: number }[];
  readonly autoCompactThreshold?: number;
  readonly isAutoCompactEnabled: boolean;
  readonly messageBreakdown: {
    readonly toolCallTokens: number;
    readonly toolResultTokens: number;
    readonly attachmentTokens: number;
    readonly assistantMessageTokens: number;
    readonly userMessageTokens: number;
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
