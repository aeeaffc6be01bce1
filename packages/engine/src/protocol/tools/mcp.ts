import type { JsonSchema } from '../json.ts';

/** Status of MCP servers for hosts: servers of the host, and servers that the engine connects to. */
export type McpStatus = 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';

/** A tool as its server lists it. */
export interface McpToolInfo {
  /** Without the server's prefix. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?:
    | {
        readonly readOnly?: boolean | undefined;
        readonly destructive?: boolean | undefined;
        readonly openWorld?: boolean | undefined;
      }
    | undefined;
}

export interface McpServerStatus {
  /** As configured. */
  readonly name: string;
  readonly status: McpStatus;
  /** What the server says of itself. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** Revision of MCP that it speaks with us; absent until it is connected, and for servers of the host. */
  readonly protocolVersion?: string;
  /** Why it failed, in one sentence. */
  readonly error?: string;
  /** Without secrets: environment, headers and query strings are left out. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** `dynamic`: passed in by the host; else the kind of file that configures it, or `plugin`. */
  readonly scope?: string;
  /** `sdk` for an in-process server of the host; else the scope. */
  readonly source?: string;
  readonly transport?: 'stdio' | 'http' | 'sse' | 'sdk';
  /** Absent until it is connected. */
  readonly tools?: readonly McpToolInfo[];
  /** Tools that were left out because the API would refuse them, one sentence each. */
  readonly quarantined?: readonly string[];
  /** Tools that changed since they were allowed and wait to be allowed again, one sentence each. */
  readonly held?: readonly string[];
}

/** What an MCP server asks the user. */
export interface ElicitationRequest {
  readonly serverName: string;
  /** The question, by the server. */
  readonly message: string;
  /** `form`: fields to fill in; `url`: a page to open. Default `form`. */
  readonly mode?: 'form' | 'url' | undefined;
  /** The page, in mode `url`. */
  readonly url?: string | undefined;
  readonly elicitationId?: string | undefined;
  /** Fields of the form: a flat object of JSON Schema. */
  readonly requestedSchema?: JsonSchema | undefined;
}

export type ElicitationAnswer = {
  /** `cancel`: the question was left without an answer. */
  readonly action: 'accept' | 'decline' | 'cancel';
  /** Values by field, with `accept`. */
  readonly content?: Record<string, unknown>;
};

/** Where a tool of an MCP server comes from. */
export interface McpOrigin {
  /** Name of the server in the configuration. */
  readonly server: string;
  /** Name that the server reports. */
  readonly serverName?: string;
  /** `sdk` for an in-process server of the host, else the scope of its configuration. */
  readonly source: string;
  /** Name of the tool on the server. */
  readonly tool: string;
  /** Display name, if the server reports one. */
  readonly title?: string;
}
