/** MCP servers, as a host may use them beside the model. */

import type { SetServersResult } from '../../mcp/servers/mcp-servers.ts';
import { LIST_RESOURCES_TOOL } from '../../mcp/tools/resource-tools.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import type { ToolOutput, ToolResultContent } from '../../protocol/tools/tool.ts';
import type { McpClient } from '../config.ts';
import type { Session } from '../session/session.ts';

export interface McpResourceContents {
  readonly contents: readonly {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    /** Base64. */
    readonly blob?: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  }[];
}

export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
}

export interface McpCall {
  /** `mcp__server__tool`. */
  readonly tool: string;
  readonly arguments?: JsonObject | undefined;
  /**
   * true: the rules for calls of the model apply, without a question. Default false: the host has decided.
   */
  readonly checkPermissions?: boolean | undefined;
  /** true: the server's own account of a failed call is an answer with `isError`. Default false. */
  readonly softErrorResult?: boolean | undefined;
}

export interface McpAnswer {
  /** What the model would read; with `isError`, the texts and links of the server. */
  readonly content: ToolResultContent | readonly JsonObject[];
  readonly isError?: true;
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
}

export class SessionMcp {
  readonly #session: Session;
  readonly #refuseClosed: () => void;

  /** `refuseClosed` throws `engine_closed` once the engine is closed. */
  constructor(session: Session, refuseClosed: () => void) {
    this.#session = session;
    this.#refuseClosed = refuseClosed;
  }

  /** Begins to connect to the servers when nothing has yet. */
  status(): readonly McpServerStatus[] {
    const { mcp } = this.#session;
    mcp.start();
    return mcp.statuses();
  }

  /**
   * Drops the connection to a server and makes a new one. Rejects with the reason when it does not come to
   * one.
   */
  async reconnect(name: string): Promise<void> {
    this.#refuseClosed();
    await this.#session.mcp.reconnect(name);
  }

  /** Off: disconnected, and its tools are taken away from the next request on. On: connected again. */
  async setEnabled(name: string, on: boolean): Promise<void> {
    this.#refuseClosed();
    await this.#session.mcp.setEnabled(name, on);
  }

  /**
   * Puts these servers in the place of those that an earlier call of this brought; configured ones stay.
   * Resolves when each new one was tried.
   */
  async setServers(
    configs: Readonly<Record<string, unknown>>,
    clients: readonly McpClient[] = [],
  ): Promise<SetServersResult> {
    this.#refuseClosed();
    return this.#session.mcp.setServers(configs, clients);
  }

  /**
   * Connects the servers that live with the host. Resolves when each was tried; how it went is their status.
   */
  connectHostServers(): Promise<void> {
    return this.#session.mcp.startHosts();
  }

  /**
   * One `ui://` resource of a server: what a host shows of a tool. It is the server's, so not to be trusted.
   * Rejects with `invalid_option` for another address, and with the reason when the server is not there or
   * refuses.
   */
  async readResource(server: string, uri: string): Promise<McpResourceContents> {
    if (!/^ui:\/\//.test(uri))
      throw new TurnwrightError('invalid_option', `Only ui:// resources are read for a host, not ${uri}.`);
    const { mcp, scope } = this.#session;
    const { contents } = await mcp.readResource(server, uri, scope.signal);
    return { contents: (Array.isArray(contents) ? contents : []) as McpResourceContents['contents'] };
  }

  /** Those of connected servers; one that does not answer has none. */
  async resources(): Promise<readonly McpResource[]> {
    const { mcp, scope, tools } = this.#session;
    mcp.start();
    // No server that is connected has resources where there is no such tool.
    const listed = await tools.callTool(LIST_RESOURCES_TOOL, {}, scope.signal).catch(() => undefined);
    return Array.isArray(listed?.data) ? (listed.data as McpResource[]) : [];
  }

  /** Calls of this server ask even where the mode would allow them; null: as the mode has it. */
  setModeOverride(server: string, mode: 'default' | 'auto' | null): { readonly warning?: string } {
    if (mode !== null && mode !== 'default' && mode !== 'auto')
      throw new TurnwrightError('invalid_option', 'The mode of a server can be "default", "auto" or null.');
    const { mcp } = this.#session;
    mcp.setModeOverride(server, mode !== null);
    return mcp.statuses().some(({ name }) => name === server)
      ? {}
      : { warning: `There is no MCP server "${server}" yet.` };
  }

  /** What the tool returned. Rejects when there is no such tool, when it may not run and when it fails. */
  async callTool(call: McpCall, signal: AbortSignal): Promise<McpAnswer> {
    const { tool, arguments: input = {}, checkPermissions = false, softErrorResult = false } = call;
    const { mcp, tools } = this.#session;
    if (!tool.startsWith('mcp__')) throw new TurnwrightError('invalid_option', `${tool} is no MCP tool.`);
    await mcp.settled({ signal });
    if (checkPermissions) {
      const answer = await tools.callGated(tool, input, signal);
      if (!answer.ok) throw new TurnwrightError('mcp_call_failed', `The tool did not run: ${answer.why}`);
      return delivered(answer, softErrorResult);
    }
    return delivered(await tools.callTool(tool, input, signal), softErrorResult);
  }
}

/** Characters of JSON. What is longer rejects as any other failure does. */
const MAX_SOFT_ERROR = 64_000;

function delivered(
  { content, isError, serverError }: Pick<ToolOutput, 'content' | 'isError' | 'serverError'>,
  soft: boolean,
): McpAnswer {
  if (isError !== true) return { content };
  const { content: parts, structuredContent } = (serverError ?? {}) as Partial<McpAnswer>;
  const isSaid = (Array.isArray(parts) && parts.length > 0) || structuredContent !== undefined;
  if (soft && isSaid && JSON.stringify(serverError).length <= MAX_SOFT_ERROR)
    return { content: [], ...serverError, isError: true };
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  throw new TurnwrightError('mcp_call_failed', text);
}
