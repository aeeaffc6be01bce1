/** A server object of the MCP SDK, spoken to without leaving the process. */
import type { Exchange, JsonRpcMessage } from './json-rpc.ts';
import type { McpServerInstance } from './server-config.ts';

interface Transport {
  onmessage?: (message: JsonRpcMessage) => void;
  onclose?: () => void;
  start(): Promise<void>;
  send(message: JsonRpcMessage): Promise<void>;
  close(): Promise<void>;
}

export async function linkToInstance(
  server: McpServerInstance['instance'],
): Promise<{ readonly exchange: Exchange; close(): Promise<void> }> {
  const waiting = new Map<JsonRpcMessage['id'], (reply: JsonRpcMessage) => void>();
  const transport: Transport = {
    start: async () => undefined,
    async send(message) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    },
    async close() {
      transport.onclose?.();
    },
  };
  await server.connect(transport as never);
  return {
    exchange: (message, { signal }) => {
      if (message.id === undefined) {
        transport.onmessage?.(message);
        return Promise.resolve(undefined);
      }
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          waiting.delete(message.id);
          const params = { requestId: message.id, reason: 'The turn was interrupted.' };
          transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
          reject(new Error('The call was interrupted.'));
        };
        waiting.set(message.id, (reply) => {
          signal.removeEventListener('abort', onAbort);
          resolve(reply);
        });
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        transport.onmessage?.(message);
      });
    },
    close: async () => server.close?.(),
  };
}
