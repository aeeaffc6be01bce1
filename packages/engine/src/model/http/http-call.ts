/**
 * One HTTP request as state: head, received bytes, and end or failure. Bytes that arrived before a reset are
 * kept; the socket is paused while the consumer does not take them (L1, back-pressure).
 */

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections, HttpRequest } from '@turnwright/base/http/connections.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead, ResponseHeaders } from '../../protocol/model/provider-wire.ts';
import { classifyConnectionError } from '../retry/classify-error.ts';

export type HttpStop =
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };

export interface HttpCall {
  readonly connected: boolean;
  readonly head: HttpHead | undefined;
  /** All bytes have arrived; some may not be taken yet. */
  readonly ended: boolean;
  readonly stopped: HttpStop | undefined;
  /** Takes the received bytes and resumes reading. */
  take(): Buffer[];
  /** Resolves at the next change since the last call, or immediately if there was one. */
  changed(): Promise<void>;
  /** Ends the call and destroys its socket. Only the first reason counts. */
  stop(why: HttpStop): void;
  /**
   * The caller needs no more of it: the socket returns to the pool if the response is complete, else it is
   * destroyed.
   */
  close(): void;
}

/** With more than this buffered, the socket is paused. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/** Sends the request as soon as there is a connection. */
export function openHttpCall(
  connections: Connections,
  wanted: HttpRequest,
  body: readonly (Buffer | string)[],
  life: Pick<Life, 'aborted' | 'onAbort'>,
): HttpCall {
  const call = new Call();
  call.open(connections, wanted, body, life);
  return call;
}

/** A class, so that event handlers are allocated once per call. */
class Call implements HttpCall {
  connected = false;
  head: HttpHead | undefined;
  ended = false;
  stopped: HttpStop | undefined;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #queue: Buffer[] = [];
  #queued = 0;
  #dirty = false;
  #wake: (() => void) | undefined;
  #forget = nothing;

  open(
    connections: Connections,
    wanted: HttpRequest,
    body: readonly (Buffer | string)[],
    life: Pick<Life, 'aborted' | 'onAbort'>,
  ): void {
    const onAbort = () => this.stop({ kind: 'aborted' });
    if (life.aborted) {
      onAbort();
      return;
    }
    this.#forget = life.onAbort(onAbort);
    try {
      this.#begin(connections.request(wanted), body);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  take(): Buffer[] {
    const taken = this.#queue;
    if (taken.length > 0) this.#queue = [];
    this.#queued = 0;
    if (this.#response?.isPaused()) this.#response.resume();
    return taken;
  }

  changed(): Promise<void> {
    if (this.#dirty) {
      this.#dirty = false;
      return NOW;
    }
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  stop(why: HttpStop): void {
    // A finished response cannot fail any more, even if the consumer has not taken it.
    if (this.stopped !== undefined || (this.ended && why.kind === 'failed')) return;
    this.stopped = why;
    this.#forget();
    if (!this.ended) this.#request?.destroy();
    this.#touch();
  }

  close(): void {
    this.#forget();
    if (!this.ended) this.#request?.destroy();
  }

  #begin(request: ClientRequest, body: readonly (Buffer | string)[]): void {
    this.#request = request;
    request.on('error', this.#fail);
    if (this.stopped !== undefined) {
      request.destroy();
      return;
    }
    request.on('socket', this.#onSocket);
    request.on('response', this.#onResponse);
    send(request, body);
  }

  #touch(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    this.#dirty = wake === undefined;
    wake?.();
  }

  readonly #fail = (error: Error): void =>
    this.stop({ kind: 'failed', failure: classifyConnectionError(error) });

  readonly #onSocket = (socket: Socket): void => {
    const handshake = isSecure(socket);
    if (!socket.connecting && !(handshake && socket.secureConnecting)) this.#onConnected();
    else socket.once(handshake ? 'secureConnect' : 'connect', () => this.#onConnected());
  };

  #onConnected(): void {
    this.connected = true;
    this.#touch();
  }

  readonly #onResponse = (incoming: IncomingMessage): void => {
    this.#response = incoming;
    this.connected = true;
    const headers = flat(incoming);
    this.head = { status: incoming.statusCode ?? 0, headers };
    // Node reads the headers again for a keep-alive hint when the socket is released; the parsed ones are
    // kept.
    incoming.headers = headers;
    incoming.on('data', (chunk: Buffer) => {
      this.#queue.push(chunk);
      this.#queued += chunk.length;
      if (this.#queued > MAX_BUFFERED_BYTES) incoming.pause();
      this.#touch();
    });
    incoming.on('end', () => {
      this.ended = true;
      this.#touch();
    });
    incoming.on('error', this.#fail);
    incoming.on('close', () => {
      if (this.ended) return;
      this.#fail(Object.assign(new Error('The connection closed early.'), { code: 'ECONNRESET' }));
    });
    this.#touch();
  };
}

const NOW = Promise.resolve();

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

/** With repeated headers: Node joins those that may be joined. Slow, so used only in that case. */
function joined({ headers }: IncomingMessage): ResponseHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

function nothing(): void {}
