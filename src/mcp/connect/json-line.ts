/** Servers of the host: objects of the MCP SDK in this process, and functions. */

import type { LinkedMcpServer, McpServerInstance } from '../servers/server-config.ts';
import type { Exchange, JsonRpcMessage } from './json-rpc.ts';

/** Both directions of the communication with a server of the host. */
interface HostLine {
  /** Rejects when the server refuses the connection. */
  open(): Promise<void>;
  readonly exchange: Exchange;
  close(): Promise<void>;
}

export interface HostLineEvents {
  /** The server sends a notification or a request. */
  onMessage(message: JsonRpcMessage): void;
  /** The server closed its end. */
  onClose(): void;
}

interface Transport {
  onmessage?: (message: JsonRpcMessage) => void;
  onclose?: () => void;
  start(): Promise<void>;
  send(message: JsonRpcMessage): Promise<void>;
  close(): Promise<void>;
}

/**
 * Objects that a session is connected to. Some releases of the MCP SDK take a second connection, and send the
 * answers to requests of the first one over it.
 */
const connected = new WeakSet<McpServerInstance['instance']>();

/** Serves one session at a time. */
export function linkToInstance(
  server: McpServerInstance['instance'],
  { onMessage, onClose }: HostLineEvents,
): HostLine {
  let isOurs = false;
  const letGo = () => {
    if (isOurs) connected.delete(server);
    isOurs = false;
  };
  const waiting = new Map<JsonRpcMessage['id'], (reply: JsonRpcMessage) => void>();
  const transport: Transport = {
    start: async () => undefined,
    async send(message) {
      if (message.method !== undefined) return onMessage(message);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    },
    async close() {
      letGo();
      transport.onclose?.();
      onClose();
    },
  };
  return {
    async open() {
      if (connected.has(server))
        throw new Error(
          'Already connected: the server object serves another session. Create one for each session.',
        );
      connected.add(server);
      isOurs = true;
      try {
        await server.connect(transport as never);
      } catch (error) {
        letGo();
        throw error;
      }
    },
    exchange: (message, { signal }) =>
      new Promise((resolve, reject) => {
        const isRequest = message.method !== undefined && message.id !== undefined;
        if (isRequest) {
          const onAbort = () => {
            waiting.delete(message.id);
            reject(signal.reason);
          };
          if (signal.aborted) return onAbort();
          signal.addEventListener('abort', onAbort, { once: true });
          waiting.set(message.id, (reply) => {
            signal.removeEventListener('abort', onAbort);
            resolve(reply);
          });
        }
        transport.onmessage?.(message);
        if (!isRequest) resolve(undefined);
      }),
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
}

export function linkToFunction(server: LinkedMcpServer, { onMessage }: HostLineEvents): HostLine {
  return {
    open: async () => server.listen?.(onMessage),
    exchange: server.exchange,
    close: async () => server.listen?.(undefined),
  };
}
