/** `tool()`: a function of the host as a tool of the model, with a zod shape for its input. */

import { isPlainName } from '@turnwright/base/text/plain-name.ts';
import type { z } from 'zod';
import { TurnwrightError } from '../protocol/errors.ts';
import type { ZodShape } from '../tools/schema/from-zod.ts';

/** Result of an in-process tool: the result shape of MCP's `tools/call`. */
export interface CallToolResult {
  /** For the model. */
  readonly content: readonly CallToolContent[];
  /** true: the call failed, and the content says why. Default false. */
  readonly isError?: boolean | undefined;
  /** The result as data, for hosts that read `tool_use_result`. */
  readonly structuredContent?: Readonly<Record<string, unknown>> | undefined;
  /** `'claude/endTurn': true` ends the turn once the result is recorded. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A part of an MCP tool's result. */
export type CallToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string | undefined;
    }
  | {
      readonly type: 'resource';
      readonly resource: {
        readonly uri: string;
        readonly text?: string | undefined;
        readonly mimeType?: string | undefined;
      };
    };

/** Hints about a tool. They decide about running in parallel and repeating, never about permission. */
export interface ToolAnnotations {
  /** Display name. */
  readonly title?: string | undefined;
  /** The tool only reads: its calls may run together, and again after a crash. Default false. */
  readonly readOnlyHint?: boolean | undefined;
  /** It may delete or overwrite something. */
  readonly destructiveHint?: boolean | undefined;
  /**
   * A repeated call with the same input has no further effect: it may run again after a crash. Default false.
   */
  readonly idempotentHint?: boolean | undefined;
  /** It reaches beyond the machine. */
  readonly openWorldHint?: boolean | undefined;
}

/** Second argument of a handler. */
export interface ToolCallExtra {
  /** Aborted with the turn: stop the work then. */
  readonly signal: AbortSignal;
  readonly sessionId: string;
  /** The same for every attempt at this call: usable as an idempotency key. */
  readonly effectKey: string;
  /** The session's working directory. */
  readonly cwd: string;
  /** Metadata of the call by the protocol's names. */
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** A tool of an in-process server, made by `tool()`. */
export interface SdkToolDefinition<Shape extends ZodShape = ZodShape> {
  readonly name: string;
  readonly description: string;
  /** The zod shape of the input. */
  readonly inputSchema: Shape;
  readonly annotations?: ToolAnnotations | undefined;
  /** true: never deferred. Default false. */
  readonly alwaysLoad?: boolean | undefined;
  /** Search terms for ToolSearch. */
  readonly searchHint?: string | undefined;
  /** An error that it throws becomes a failed result; the session goes on. */
  handler(input: z.infer<z.ZodObject<Shape>>, extra: ToolCallExtra): Promise<CallToolResult> | CallToolResult;
}

// biome-ignore lint/suspicious/noExplicitAny: tools are heterogeneous; each has its own types
export type AnySdkTool = SdkToolDefinition<any>;

/**
 * Defines a tool for `createSdkMcpServer`. `inputSchema` is a zod 4 shape. What the handler throws becomes an
 * error result. Throws `invalid_option` for a name that models cannot call.
 *
 * @example
 * ```ts
 * const add = tool('add', 'Adds two numbers.', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
 *   content: [{ type: 'text', text: String(a + b) }],
 * }));
 * ```
 */
export function tool<Shape extends ZodShape>(
  name: string,
  description: string,
  inputSchema: Shape,
  handler: SdkToolDefinition<Shape>['handler'],
  extras: {
    readonly annotations?: ToolAnnotations | undefined;
    readonly alwaysLoad?: boolean | undefined;
    readonly searchHint?: string | undefined;
  } = {},
): SdkToolDefinition<Shape> {
  refuseName(name);
  return {
    name,
    description,
    inputSchema,
    handler,
    ...(extras.annotations !== undefined && { annotations: extras.annotations }),
    ...(extras.alwaysLoad !== undefined && { alwaysLoad: extras.alwaysLoad }),
    ...(extras.searchHint !== undefined && { searchHint: extras.searchHint }),
  };
}

const MOST_NAME_CHARS = 64;

/** The name of an in-process server, or of one of its tools. Throws `invalid_option`. */
export function refuseName(name: string): void {
  if (isPlainName(name, MOST_NAME_CHARS)) return;
  throw new TurnwrightError(
    'invalid_option',
    `"${name}" cannot be the name of an MCP server or tool: letters, digits, "_" and "-", at most 64.`,
  );
}
