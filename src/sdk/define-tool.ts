/** `tool()`: a function of the host as a tool of the model, with a zod shape for its input. */
import type { z } from 'zod';
import type { ZodShape } from '../engine/wiring/tools/zod-input.ts';

/** What an in-process tool answers: the result shape of MCP's `tools/call`. */
export interface CallToolResult {
  readonly content: readonly CallToolContent[];
  readonly isError?: boolean | undefined;
  readonly structuredContent?: Readonly<Record<string, unknown>> | undefined;
  /** `'claude/endTurn': true` ends the turn once the result is recorded. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

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

export interface ToolAnnotations {
  readonly title?: string | undefined;
  /** Reads only: such calls may run together, and again after a crash. */
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  /** Running it twice with the same input is the same as once: it may run again after a crash. */
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** What a handler is told beside its input. */
export interface ToolCallExtra {
  /** Aborted when the turn is; let go of everything then. */
  readonly signal: AbortSignal;
  readonly sessionId: string;
  /** The same for every attempt at this call: hand it on as an idempotency key. */
  readonly effectKey: string;
  readonly cwd: string;
  readonly _meta: Readonly<Record<string, unknown>>;
}

export interface SdkToolDefinition<Shape extends ZodShape = ZodShape> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Shape;
  readonly annotations?: ToolAnnotations | undefined;
  /** Never deferred, however many tools there are. */
  readonly alwaysLoad?: boolean | undefined;
  /** Words by which ToolSearch finds it. */
  readonly searchHint?: string | undefined;
  handler(input: z.infer<z.ZodObject<Shape>>, extra: ToolCallExtra): Promise<CallToolResult> | CallToolResult;
}

// biome-ignore lint/suspicious/noExplicitAny: a server's tools are heterogeneous; each is checked where it is defined
export type AnySdkTool = SdkToolDefinition<any>;

/** Defines a tool for `createSdkMcpServer`. `inputSchema` is a zod 4 shape: `{ path: z.string() }`. */
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
