/**
 * One request as something to look at: head, bytes that came, end, or why it stopped. Bytes that arrived before a
 * reset are kept; the socket is paused while nobody takes them (L1, back-pressure).
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ModelFailure } from '../protocol/failure.ts';
import type { Life } from '../protocol/ports.ts';
import type { Writable } from '../util/writable.ts';
import { classifyConnectionError } from './classify-error.ts';
import type { Connections, HttpRequest } from './connections.ts';
import type { HttpHead, ResponseHeaders } from './http-head.ts';

export type HttpStop =
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };

export interface HttpCall {
  readonly connected: boolean;
  readonly head: HttpHead | undefined;
  /** All bytes have come (some may wait to be taken). */
  readonly ended: boolean;
  readonly stopped: HttpStop | undefined;
  /** Takes what has arrived; reading goes on. */
  take(): Buffer[];
  /** Resolves at the next change since the last look; at once if there was one. */
  changed(): Promise<void>;
  /** Ends the call and destroys its socket. The first reason counts. */
  stop(why: HttpStop): void;
  /** Nothing more is wanted of it: the socket goes back to the pool if the answer is whole, else it is destroyed. */
  close(): void;
}

/** Beyond this, the socket waits for the consumer. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/** Sends it as soon as there is a way to the endpoint. */
export function openHttpCall(
  connections: Connections,
  wanted: HttpRequest,
  body: readonly (Buffer | string)[],
  life: Pick<Life, 'aborted' | 'onAbort'>,
): HttpCall {
  let request: ClientRequest | undefined;
  let response: IncomingMessage | undefined;
  let queue: Buffer[] = [];
  let queued = 0;
  let dirty = false;
  let wake: (() => void) | undefined;
  let forget = nothing;

  const touch = () => {
    dirty = true;
    wake?.();
  };
  const stop = (why: HttpStop) => {
    // A finished answer cannot fail any more, but nobody may want it.
    if (call.stopped !== undefined || (call.ended && why.kind === 'failed')) return;
    call.stopped = why;
    forget();
    if (!call.ended) request?.destroy();
    touch();
  };
  const fail = (error: Error) => stop({ kind: 'failed', failure: classifyConnectionError(error) });
  const onAbort = () => stop({ kind: 'aborted' });
  const onConnected = () => {
    call.connected = true;
    touch();
  };

  const begin = (opened: ClientRequest) => {
    request = opened;
    request.on('error', fail);
    if (call.stopped !== undefined) {
      request.destroy();
      return;
    }
    request.on('socket', (socket) => {
      const handshake = isSecure(socket);
      if (!socket.connecting && !(handshake && socket.secureConnecting)) onConnected();
      else socket.once(handshake ? 'secureConnect' : 'connect', onConnected);
    });
    request.on('response', onResponse);
    send(request, body);
  };
  const onResponse = (incoming: IncomingMessage) => {
    response = incoming;
    call.connected = true;
    const headers = flat(incoming);
    call.head = { status: incoming.statusCode ?? 0, headers };
    // Node looks for a keep-alive hint when the socket comes back, and would read them all once more.
    incoming.headers = headers;
    incoming.on('data', (chunk: Buffer) => {
      queue.push(chunk);
      queued += chunk.length;
      if (queued > MAX_BUFFERED_BYTES) incoming.pause();
      touch();
    });
    incoming.on('end', () => {
      call.ended = true;
      touch();
    });
    incoming.on('error', fail);
    incoming.on('close', () => {
      if (!call.ended) fail(Object.assign(new Error('The connection closed early.'), { code: 'ECONNRESET' }));
    });
    touch();
  };
  const call: Writable<HttpCall> = {
    connected: false,
    head: undefined,
    ended: false,
    stopped: undefined,
    take() {
      const taken = queue;
      queue = [];
      queued = 0;
      if (response?.isPaused()) response.resume();
      return taken;
    },
    changed() {
      return new Promise((resolve) => {
        const settle = () => {
          dirty = false;
          wake = undefined;
          resolve();
        };
        if (dirty) settle();
        else wake = settle;
      });
    },
    stop,
    close() {
      forget();
      if (!call.ended) request?.destroy();
    },
  };
  if (life.aborted) onAbort();
  else {
    forget = life.onAbort(onAbort);
    try {
      begin(connections.request(wanted));
    } catch (error) {
      fail(error as Error);
    }
  }
  return call;
}

function send(request: ClientRequest, body: readonly (Buffer | string)[]): void {
  const last = body.at(-1);
  if (body.length > 1) request.cork();
  for (const chunk of body.slice(0, -1)) request.write(chunk);
  request.end(last);
  if (body.length > 1) request.uncork();
}

function isSecure(socket: Socket): socket is Socket & { readonly secureConnecting: boolean } {
  return 'encrypted' in socket;
}

function flat(incoming: IncomingMessage): ResponseHeaders {
  const { rawHeaders } = incoming;
  const headers: Record<string, string | undefined> = Object.create(null);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (headers[name] !== undefined) return joined(incoming);
    headers[name] = rawHeaders[at + 1];
  }
  return headers;
}

/** With repeated ones: Node knows which of them may be joined. It takes its time, so it is asked only then. */
function joined({ headers }: IncomingMessage): ResponseHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

function nothing(): void {}
