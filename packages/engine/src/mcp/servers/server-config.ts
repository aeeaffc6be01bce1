/** Configuration of a server, by a host or a `.mcp.json`. */

import type { Exchange, JsonRpcMessage } from '../connect/json-rpc.ts';

/**
 * A server that is started as a process.
 *
 * @example
 * ```ts
 * const files: McpStdioServerConfig = {
 *   command: 'npx',
 *   args: ['-y', '@modelcontextprotocol/server-filesystem', '/work'],
 * };
 * const options: Options = { mcpServers: { files } };
 * ```
 */
export interface McpStdioServerConfig {
  readonly type?: 'stdio' | undefined;
  /** Started without a shell. */
  readonly command: string;
  /** Default none. */
  readonly args?: readonly string[] | undefined;
  /** Added to the environment of child processes. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Idle limit of a call in ms; default 5 minutes. */
  readonly timeout?: number | undefined;
  /** Its tools are never deferred (apart from those with `anthropic/alwaysLoad: false`). Default false. */
  readonly alwaysLoad?: boolean | undefined;
  /** Default none. */
  readonly tools?: readonly McpToolPolicy[] | undefined;
}

/**
 * A server that is reached over the network.
 *
 * @example
 * ```ts
 * const issues: McpRemoteServerConfig = {
 *   type: 'http',
 *   url: 'https://mcp.example.com/mcp',
 *   headers: { Authorization: 'Bearer ${ISSUES_TOKEN}' },
 *   tools: [{ name: 'delete_issue', permission_policy: 'always_deny' }],
 * };
 * ```
 */
export interface McpRemoteServerConfig {
  /** `http`: streamable HTTP. */
  readonly type: 'sse' | 'http';
  readonly url: string;
  /** Sent with every request; `${NAME}` is replaced by that variable. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Idle limit of a call in ms; default 5 minutes. */
  readonly timeout?: number | undefined;
  /** Its tools are never deferred (apart from those with `anthropic/alwaysLoad: false`). Default false. */
  readonly alwaysLoad?: boolean | undefined;
  /** Default none. */
  readonly tools?: readonly McpToolPolicy[] | undefined;
  /** For authorization servers without dynamic registration. Default: discovered. */
  readonly oauth?: McpOAuthConfig | undefined;
}

/** Policy of a configuration for one tool. */
export interface McpToolPolicy {
  /** Name of the tool on the server. */
  readonly name: string;
  /** Default: rules and mode decide. */
  readonly permission_policy?: 'always_allow' | 'always_ask' | 'always_deny' | undefined;
  /** Upper limit of the policy. */
  readonly org_max_permission?: 'allow' | 'ask' | 'blocked' | undefined;
}

export interface McpOAuthConfig {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /**
   * https address of a document that describes the client, which servers that read such documents take as its
   * id. Default: the client is registered.
   */
  readonly clientMetadataUrl?: string | undefined;
  /**
   * `client_credentials`: the configuration is the login. A session gets its tokens with `clientId` and
   * `clientSecret` or `privateKey`. Default: a person logs in.
   */
  readonly grantType?: 'client_credentials' | undefined;
  /** Signs what the client proves itself with (`private_key_jwt`): a private key as PEM, RSA or EC. */
  readonly privateKey?: string | undefined;
  /**
   * A company's identity provider lets the client in, instead of a person or `clientSecret` alone. Default
   * none.
   */
  readonly identityProvider?: McpIdentityProvider | undefined;
  /** Port of 127.0.0.1 for the redirect of a login. Default: any free port. */
  readonly callbackPort?: number | undefined;
  /** Requested scopes if the server names none; separated by blanks. */
  readonly scope?: string | undefined;
}

/** Where the token of a person's sign-in is exchanged for access to a server. */
export interface McpIdentityProvider {
  readonly tokenEndpoint: string;
  /** The client's id there. */
  readonly clientId: string;
  /** OpenID Connect token of the person who is signed in. */
  readonly idToken: string;
}

/**
 * Policies of a host for calls of its own server's tools.
 *
 * @example
 * ```ts
 * const terms: CallTerms = {
 *   tools: [{ name: 'delete_page', permission_policy: 'always_ask' }],
 *   timeout: 30_000,
 * };
 * ```
 */
export interface CallTerms {
  /**
   * By name on the server: `always_deny`, and `always_ask`, which asks in every mode. Allowing is left to
   * rules and `canUseTool`.
   */
  readonly tools?: readonly McpToolPolicy[] | undefined;
  /** Time limit of each call, ms; values below 1,000 are ignored. Default none. */
  readonly timeout?: number | undefined;
}

/**
 * A server of the MCP SDK in this process (`McpServer`).
 *
 * @example
 * ```ts
 * import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
 *
 * const instance = new McpServer({ name: 'notes', version: '1.0.0' });
 * const options: Options = { mcpServers: { notes: { type: 'sdk', name: 'notes', instance } } };
 * ```
 */
export interface McpServerInstance extends CallTerms {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: { connect(transport: never): Promise<void>; close?(): Promise<void> };
}

/** A server behind a function, possibly in another process of the host. */
export interface LinkedMcpServer extends CallTerms {
  readonly type: 'sdk';
  readonly name: string;
  readonly exchange: Exchange;
  /**
   * Receives the function to call with each message that the server sends: notifications, and requests, whose
   * replies go through `exchange`. undefined: the listener is removed. Absent: it sends none.
   */
  listen?(receive: ((message: JsonRpcMessage) => void) | undefined): void;
  /** The server's answers to `initialize` and `tools/list`, if the host has requested them already. */
  readonly manifest?: { readonly initializeResult: unknown; readonly toolsListResult?: unknown } | undefined;
}

/** A server that is started, or reached over the network. */
export type ExternalServerConfig = McpStdioServerConfig | McpRemoteServerConfig;
export type HostServerConfig = McpServerInstance | LinkedMcpServer;

export type ServerConfig = ExternalServerConfig | HostServerConfig;
