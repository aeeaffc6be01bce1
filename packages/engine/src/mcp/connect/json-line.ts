/**
 * Ways to exchange messages with a server: a transport, an object of the MCP SDK in this process, a function.
 */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { LinkedMcpServer, McpServerInstance } from '../servers/server-config.ts';
import { AnswerLostError } from './connection-failure.ts';
import type { JsonRpcMessage } from './json-rpc.ts';

interface SendOptions {
  readonly signal: AbortSignal;
  /** Of this request over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Aborting closes the response of this request, which tells the server. */
  readonly isOnItsOwn?: boolean | undefined;
}

/** Both directions of the communication with a server. */
export interface Line {
  /** Rejects when the server refuses the connection. */
  open(): Promise<void>;
  /**
   * Resolves with the reply to a request, with undefined for a notification. Rejects when the message
   * cannot be sent, when its answer is lost, and on abort.
   */
  exchange(message: JsonRpcMessage, options: SendOptions): Promise<JsonRpcMessage | undefined>;
  close(): Promise<void>;
}

export interface LineEvents {
  /** The server sends a notification or a request. */
  onMessage(message: JsonRpcMessage): void;
  /** The server closed its end. */
  onClose(): void;
}

/** As the protocol library defines it. */
export interface MessageTransport {
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  send(message: JsonRpcMessage, options?: TransportOptions): Promise<void>;
  close(): Promise<void>;
  /** The revision that `initialize` found, for the headers of later requests. */
  setProtocolVersion?(revision: string): void;
}

interface TransportOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly requestSignal?: AbortSignal | undefined;
  readonly onRequestStreamEnd?: (() => void) | undefined;
}

/** Matches replies with requests. */
export function linkToTransport(transport: MessageTransport, { onMessage, onClose }: LineEvents): Line {
  // Some servers send the id of a request back as a text.
  const waiting = new Map<string, (reply: JsonRpcMessage) => void>();
  transport.onmessage = (message) => {
    if (message.method !== undefined) return onMessage(message);
    waiting.get(String(message.id))?.(message);
  };
  transport.onclose = onClose;
  return {
    open: () => transport.start(),
    async exchange(message, { signal, headers, isOnItsOwn = false }) {
      signal.throwIfAborted();
      if (message.method === undefined || message.id === undefined) {
        await transport.send(message);
        return undefined;
      }
      const id = String(message.id);
      let onAbort = () => {};
      try {
        return await new Promise<JsonRpcMessage>((resolve, reject) => {
          onAbort = () => reject(signal.reason);
          signal.addEventListener('abort', onAbort, { once: true });
          waiting.set(id, resolve);
          const options = {
            headers,
            ...(isOnItsOwn && { requestSignal: signal }),
            onRequestStreamEnd: () => reject(new AnswerLostError()),
          };
          transport.send(message, options).catch((error: unknown) => {
            const refusal = isOnItsOwn ? refusalIn(error) : undefined;
            if (refusal === undefined) reject(error);
            else resolve(refusal);
          });
        });
      } finally {
        waiting.delete(id);
        signal.removeEventListener('abort', onAbort);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * Without sessions, a status of HTTP says the same as the error of the protocol in its body, and less of it.
 */
function refusalIn(error: unknown): JsonRpcMessage | undefined {
  const { data } = error as { readonly data?: { readonly status?: unknown; readonly text?: unknown } };
  if (typeof data?.text !== 'string' || data.status === 401 || data.status === 403) return undefined;
  try {
    const message = parseJson(data.text) as JsonRpcMessage;
    return typeof message.error?.code === 'number' && typeof message.error.message === 'string'
      ? message
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Objects that a session is connected to. Some releases of the MCP SDK take a second connection, and send the
 * answers to requests of the first one over it.
 */
const connected = new WeakSet<McpServerInstance['instance']>();

/** Serves one session at a time. */
export function linkToInstance(server: McpServerInstance['instance'], events: LineEvents): Line {
  let isOurs = false;
  const letGo = () => {
    if (isOurs) connected.delete(server);
    isOurs = false;
  };
  /** What the object is connected to; our end is below. */
  const theirs: MessageTransport = {
    start: async () => undefined,
    send: async (message) => ours.onmessage?.(message),
    async close() {
      letGo();
      theirs.onclose?.();
      ours.onclose?.();
    },
  };
  const ours: MessageTransport = {
    async start() {
      if (connected.has(server))
        throw new Error(
          'Already connected: the server object serves another session. Create one for each session.',
        );
      connected.add(server);
      isOurs = true;
      try {
        await server.connect(theirs as never);
      } catch (error) {
        letGo();
        throw error;
      }
    },
    send: async (message) => theirs.onmessage?.(message),
    async close() {
      // An object that refused the connection may serve another session.
      if (!isOurs) return;
      try {
        await server.close?.();
      } finally {
        letGo();
      }
    },
  };
  return linkToTransport(ours, events);
}

export function linkToFunction(server: LinkedMcpServer, { onMessage }: LineEvents): Line {
  return {
    open: async () => server.listen?.(onMessage),
    exchange: (message, { signal }) => server.exchange(message, { signal }),
    close: async () => server.listen?.(undefined),
  };
}
