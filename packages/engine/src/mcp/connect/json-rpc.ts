/** JSON-RPC 2.0, as MCP speaks it. */

export interface JsonRpcMessage {
  readonly jsonrpc: '2.0';
  /** Absent: a notification. */
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/**
 * Sends a message to a server. Resolves with the reply to a request, with undefined for a notification.
 * Rejects when the server cannot be reached, and on abort.
 */
export type Exchange = (
  message: JsonRpcMessage,
  options: { readonly signal: AbortSignal },
) => Promise<JsonRpcMessage | undefined>;

/** The result of a request. Throws the server's error as `MCP error <code>: …`. */
export function unwrapReply(reply: JsonRpcMessage | undefined): unknown {
  if (reply?.error !== undefined) {
    const { code, message, data } = reply.error;
    const said = message.startsWith('MCP error') ? message : `MCP error ${code}: ${message}`;
    throw Object.assign(new Error(said), { code, data });
  }
  if (reply === undefined || !('result' in reply)) throw new Error('The MCP server gave no answer.');
  return reply.result;
}
