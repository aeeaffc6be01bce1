/**
 * JSON-RPC with a server: requests, their progress and cancellation, and answers to what the server asks.
 * It is the same for servers of all kinds, and knows nothing of revisions.
 */

import { unlessAborted } from '@turnwright/base/async/promises.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { RpcOptions, RpcResult } from './connection.ts';
import { ConnectionLostError } from './connection-failure.ts';
import type { Line, LineEvents } from './json-line.ts';
import { type JsonRpcMessage, unwrapReply } from './json-rpc.ts';

const METHOD_NOT_FOUND = -32_601;
/**
 * The protocol forbids to cancel `initialize`, and who does not know `server/discover` knows of no request.
 */
const OPENINGS: readonly string[] = ['initialize', 'server/discover'];
const NEVER = new AbortController().signal;

interface PeerOptions {
  link(events: LineEvents): Line;
  /** Ids of requests. Default: numbers, which every server reads. */
  nextId?(count: number): string;
  /** Answers a request of the server; undefined: there is no such method. Never rejects. */
  answer(method: string, params: RpcResult, signal: AbortSignal): Promise<RpcResult | undefined>;
  /** The server sends a notification. */
  hear(method: string, params: RpcResult): void;
  /** Why it ended, when the server closed its end. */
  epitaph(): string;
}

interface PeerAskOptions extends RpcOptions {
  /** Of this request over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Giving up this request closes its response, and no notification says it. Default false. */
  readonly isOnItsOwn?: boolean;
}

export interface Peer {
  /** Rejects when the server refuses the connection. */
  open(signal: AbortSignal): Promise<void>;
  /** Rejects with the server's error, with ConnectionLostError, or with the signal's reason. */
  ask(method: string, params: RpcResult, options: PeerAskOptions): Promise<RpcResult>;
  /** Sends a notification, or a request whose answer does not matter. Never rejects. */
  say(message: Omit<JsonRpcMessage, 'jsonrpc'>): Promise<void>;
  nextId(): string | number;
  /** Why it ended; undefined until then. */
  readonly ended: string | undefined;
  /** Resolves with the reason when the other side ends it. */
  readonly lost: Promise<string>;
  /** Ends it as lost. */
  abandon(why: string): void;
  close(): Promise<void>;
}

export function createPeer({ link, nextId: named, answer, hear, epitaph }: PeerOptions): Peer {
  /** Listeners for progress of requests, and controllers of answers to the server's requests. */
  const progress = new Map<unknown, (told: RpcResult) => void>();
  const answering = new Map<unknown, AbortController>();
  const lifetime = new AbortController();
  let ended: string | undefined;
  let count = 0;
  let tellLost: (why: string) => void = () => {};
  const lost = new Promise<string>((resolve) => {
    tellLost = resolve;
  });

  const reply = async (id: string | number, method: string, params: RpcResult): Promise<void> => {
    const controller = new AbortController();
    answering.set(id, controller);
    const result = method === 'ping' ? {} : await answer(method, params, controller.signal);
    answering.delete(id);
    if (controller.signal.aborted || ended !== undefined) return;
    const error = { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
    await say({ id, ...(result === undefined ? { error } : { result }) });
  };

  const line = link({
    onMessage({ id, method, params = {} }) {
      if (ended !== undefined || method === undefined) return;
      if (id !== undefined && id !== null) return void reply(id, method, params);
      if (method === 'notifications/progress') progress.get(params['progressToken'])?.(params);
      if (method === 'notifications/cancelled') answering.get(params['requestId'])?.abort();
      hear(method, params);
    },
    onClose: () => abandon(epitaph()),
  });

  const close = async (why = 'it was closed'): Promise<void> => {
    ended ??= why;
    lifetime.abort(new ConnectionLostError(ended));
    for (const each of answering.values()) each.abort();
    await line.close();
  };
  const abandon = (why: string): void => {
    if (ended !== undefined) return;
    tellLost(why);
    void close(why).catch(() => {});
  };
  const say: Peer['say'] = async (message) => {
    try {
      await line.exchange({ jsonrpc: '2.0', ...message }, { signal: NEVER });
    } catch {
      // A server that did not receive it shows that with the next request.
    }
  };
  const nextId = () => {
    count += 1;
    return named?.(count) ?? count;
  };

  const ask: Peer['ask'] = async (method, params, { signal: until, onProgress, headers, isOnItsOwn }) => {
    if (ended !== undefined) throw new ConnectionLostError(ended);
    until.throwIfAborted();
    const id = nextId();
    if (onProgress !== undefined) progress.set(id, onProgress);
    const { _meta: meta } = params;
    const asked =
      onProgress === undefined
        ? params
        : { ...params, _meta: { ...(isRecord(meta) ? meta : {}), progressToken: id } };
    const over = AbortSignal.any([until, lifetime.signal]);
    try {
      const message = { jsonrpc: '2.0' as const, id, method, params: asked };
      const sent = line.exchange(message, { signal: over, headers, isOnItsOwn });
      const result = unwrapReply(await unlessAborted(sent, over));
      return isRecord(result) ? result : {};
    } catch (error) {
      if (ended !== undefined) throw new ConnectionLostError(ended, { cause: error });
      if (until.aborted && isOnItsOwn !== true && !OPENINGS.includes(method)) {
        const cancelled = { requestId: id, reason: 'The turn was interrupted.' };
        void say({ method: 'notifications/cancelled', params: cancelled });
      }
      throw error;
    } finally {
      progress.delete(id);
    }
  };

  return {
    open: (signal) => unlessAborted(line.open(), signal),
    ask,
    say,
    nextId,
    get ended() {
      return ended;
    },
    lost,
    abandon,
    close: () => close(),
  };
}
