/** Requests to the host, and its answers. */

import { randomUUID } from 'node:crypto';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { CanUseToolContext, JsonRpcMessage, LinkedMcpServer } from '@turnwright/engine';
import type { HostAnswer, WireFields } from './json-lines.ts';

export interface ControlChannel {
  /**
   * Resolves with the answer's payload. Rejects with the host's error, on abort, and once the host has
   * disconnected.
   */
  request(request: WireFields & { readonly subtype: string }, signal: AbortSignal): Promise<unknown>;
  /** The host closed its end: it may still read, but answers no more. */
  readonly gone: boolean;
  /** Sends a request without waiting for the answer. */
  tell(request: WireFields & { readonly subtype: string }): void;
  /** An answer arrived; one without a pending request is ignored. */
  settle(id: string, answer: HostAnswer): void;
  /** The function to call a server of the host; the same one each time. */
  exchangeWith(server: string): LinkedMcpServer['exchange'];
  /** Sets the listener for messages of a server of the host; undefined removes it. */
  listen(server: string, hear: ((message: JsonRpcMessage) => void) | undefined): void;
  /** A server of the host sent a message; without a listener it is ignored. */
  said(server: string, message: JsonRpcMessage): void;
  /** Open permission questions by the id of the call: what can be asked about them. */
  readonly questions: Map<string, Pick<CanUseToolContext, 'explain' | 'checkRule'>>;
  /** Open requests of one subtype, as they were sent. */
  pending(subtype: string): readonly WireFields[];
  /** The host closed its end: pending requests reject. */
  hangUp(): void;
}

interface Open {
  readonly line: WireFields & { readonly request: { readonly subtype: string } };
  settle(answer: HostAnswer): void;
}

const GONE = 'The host closed its end before it answered.';

export function createHostChannel(send: (line: WireFields) => void): ControlChannel {
  const open = new Map<string, Open>();
  const listeners = new Map<string, (message: JsonRpcMessage) => void>();
  const exchanges = new Map<string, LinkedMcpServer['exchange']>();
  let gone = false;
  const request: ControlChannel['request'] = (request, signal) =>
    new Promise((resolve, reject) => {
      if (gone) return reject(new Error(GONE));
      if (signal.aborted) return reject(new Error('It was withdrawn.'));
      const id = randomUUID();
      const onAbort = () => {
        open.delete(id);
        send({ type: 'control_cancel_request', request_id: id });
        reject(new Error('It was withdrawn.'));
      };
      const line = { type: 'control_request', request_id: id, request };
      open.set(id, {
        line,
        settle(answer) {
          signal.removeEventListener('abort', onAbort);
          if (answer.ok) resolve(answer.payload);
          else reject(new Error(answer.error));
        },
      });
      signal.addEventListener('abort', onAbort, { once: true });
      send(line);
    });
  const exchanging =
    (server: string): LinkedMcpServer['exchange'] =>
    async (message, { signal }) => {
      const payload = await request({ subtype: 'mcp_message', server_name: server, message }, signal);
      return isRecord(payload) ? (payload['mcp_response'] as JsonRpcMessage) : undefined;
    };
  return {
    request,
    questions: new Map(),
    exchangeWith(server) {
      const exchange = exchanges.get(server) ?? exchanging(server);
      exchanges.set(server, exchange);
      return exchange;
    },
    get gone() {
      return gone;
    },
    tell: (request) => send({ type: 'control_request', request_id: randomUUID(), request }),
    settle(id, answer) {
      const request = open.get(id);
      open.delete(id);
      request?.settle(answer);
    },
    listen(server, hear) {
      if (hear === undefined) listeners.delete(server);
      else listeners.set(server, hear);
    },
    said: (server, message) => listeners.get(server)?.(message),
    pending: (subtype) =>
      [...open.values()].flatMap(({ line }) => (line.request.subtype === subtype ? [line] : [])),
    hangUp() {
      gone = true;
      for (const { settle } of open.values()) settle({ ok: false, error: GONE });
      open.clear();
    },
  };
}
