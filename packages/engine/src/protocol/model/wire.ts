/**
 * The Messages API on the wire: content blocks, messages, usage, stream events. Types only. The client
 * (`model/`) and the judge (`rehearsal/`) share these types and no code.
 */
import type { JsonObject, JsonSchema } from '../json.ts';

interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly unknown[] | null;
  readonly cache_control?: CacheControl;
}
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}
interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}
/** A tool call of the model. */
export interface ToolUseBlock {
  readonly type: 'tool_use';
  /** Unique in the conversation; its result names it. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly cache_control?: CacheControl;
}
/** An image, as base64 data, by address or by the id of an uploaded file. */
export interface ImageBlock {
  readonly type: 'image';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
    | { readonly type: 'url'; readonly url: string }
    | { readonly type: 'file'; readonly file_id: string };
  readonly cache_control?: CacheControl;
}
export interface DocumentBlock {
  readonly type: 'document';
  /** As the API names it: base64 data, text, an address, blocks or the id of an uploaded file. */
  readonly source: JsonObject;
  readonly title?: string;
  readonly cache_control?: CacheControl;
}
/** Loads a deferred tool from where it stands. Who does not know it reads the text beside it. */
export interface ToolReferenceBlock {
  readonly type: 'tool_reference';
  readonly tool_name: string;
}
/** What a tool result may hold. */
export type ResultPart = TextBlock | ImageBlock | DocumentBlock | OtherBlock | ToolReferenceBlock;
/** The result of the tool call with this `tool_use_id`. */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  /** Absent means no output. */
  readonly content?: string | readonly ResultPart[];
  /** true: the call failed, and the content says why. Default false. */
  readonly is_error?: boolean;
  readonly cache_control?: CacheControl;
}
/** What the model reads for an empty tool result: it takes an empty one for a failure (F09). */
export const NO_OUTPUT = '(no output)';
/** A block of any other type, of a later version of the API too: kept and sent as it came. */
export interface OtherBlock {
  readonly type:
    | 'server_tool_use'
    | 'web_search_tool_result'
    | 'mcp_tool_use'
    | 'mcp_tool_result'
    | 'compaction'
    | 'container_upload'
    | 'search_result';
  readonly [key: string]: unknown;
}

/** A content block of an answer. */
export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | OtherBlock;
/** A content block of a user message. */
export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ToolResultBlock | OtherBlock;
/** A content block of any message. */
export type ContentBlock = AssistantBlock | UserBlock;

/** Stop reasons of the API, such as `end_turn` and `tool_use`; unknown values are passed through. */
export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'compaction'
  | 'refusal'
  | 'model_context_window_exceeded'
  | (string & {});

/** What the API says about a refusal; each field may be absent. */
export interface RefusalDetails {
  readonly category?: string | null;
  readonly explanation?: string | null;
  /** Redeemed by the same request to another model, within five minutes. */
  readonly fallback_credit_token?: string | null;
}

/** Tokens of one response, or the sum of several. Absent means 0. */
export interface Usage {
  /** Uncached input; what the cache served or stored is counted below. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  /** `cache_creation_input_tokens`, by time to live. */
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
  /** Calls of tools that the provider runs; they are billed separately. */
  readonly server_tool_use?: { readonly web_search_requests: number; readonly web_fetch_requests?: number };
  readonly output_tokens_details?: { readonly thinking_tokens?: number };
  /** As the API reports it. */
  readonly service_tier?: string | null;
  /** The provider reported no usage: the counts are estimated from the number of characters. */
  readonly estimated?: true;
  /** Usage of models that answered inside this response (advisors); counted recursively. */
  readonly iterations?: readonly (Partial<Usage> & { readonly model?: string; readonly type?: string })[];
}

/** Usage with every field present, as consumers of results expect it. */
export interface ResultUsage extends Usage {
  readonly cache_creation: NonNullable<Usage['cache_creation']>;
  readonly server_tool_use: { readonly web_search_requests: number; readonly web_fetch_requests: number };
  readonly output_tokens_details: { readonly thinking_tokens: number };
  readonly service_tier: 'standard' | 'priority' | 'batch';
  readonly inference_geo: string;
  readonly speed: 'standard' | 'fast';
  readonly fallback_credit: null;
  readonly iterations: readonly never[];
}

export const EMPTY_USAGE: Usage = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

export interface WireResponse {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stop_reason: StopReason | null;
  readonly stop_sequence: string | null;
  readonly stop_details?: RefusalDetails | null;
  readonly usage: Usage;
  readonly context_management?: unknown;
}

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | { readonly type: 'citations_delta'; readonly citation: unknown }
  | {
      readonly type: 'compaction_delta';
      readonly content?: string | null;
      readonly encrypted_content?: string | null;
    };

/** An event of the Messages API's stream. */
export type StreamEvent =
  | { readonly type: 'message_start'; readonly message: WireResponse }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: AssistantBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | {
      readonly type: 'message_delta';
      readonly delta: {
        readonly stop_reason: StopReason | null;
        readonly stop_sequence?: string | null;
        readonly stop_details?: RefusalDetails | null;
      };
      readonly usage?: Partial<Usage>;
      readonly context_management?: unknown;
    }
  | { readonly type: 'message_stop' }
  | { readonly type: 'ping' };

/** Body of a refused request, or of an SSE `error` event. */
export interface WireError {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string };
  readonly request_id?: string | null;
}

export interface WireTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonSchema;
  readonly cache_control?: CacheControl;
  readonly type?: string;
  /** Loaded by a search: where an endpoint knows references, the result of the search refers to it. */
  readonly defer_loading?: boolean;
}

/** Thinking: adaptive, with a budget in tokens, or disabled. */
export type ThinkingConfig =
  | { readonly type: 'adaptive'; readonly display?: 'summarized' | 'omitted' }
  | { readonly type: 'enabled'; readonly budgetTokens?: number; readonly display?: 'summarized' | 'omitted' }
  | { readonly type: 'disabled' };

/** In ascending order. */
export const EFFORT_LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
/** How much work a model puts into an answer, for models that support it. */
export type EffortLevel = (typeof EFFORT_LEVELS)[number];
