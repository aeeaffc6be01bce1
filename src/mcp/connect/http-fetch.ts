/**
 * `fetch` for MCP servers on Node's own HTTP client: without a time limit of its own (F78), without redirects
 * to other origins, with bounded bodies (T120). Loaded with the first remote server.
 */

import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Clock } from '../../protocol/ports.ts';
import type { CredentialStore } from '../oauth/credential-store.ts';
import { NotDeliveredError } from './connection-failure.ts';

/** Maximum bytes of a response, or of one event of a stream. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Statuses for which the platform allows no body. */
const BODILESS = [101, 204, 205, 304];

/** An error on the way to a proxy names the proxy. */
function unreached({ origin }: URL, error: NodeJS.ErrnoException): string {
  const why = 'isOfProxy' in error ? `: ${error.message}` : ` (${error.code})`;
  return `${origin} cannot be reached${why}`;
}

const NOT_DELIVERED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_PROXY_REFUSED',
];

/** Sockets to one origin; the session configures proxy and certificate authorities. */
interface OriginConnections {
  /** An unsent request; errors are emitted as `error` events. */
  request(input: {
    readonly method?: 'GET' | 'DELETE';
    readonly path: string;
    readonly headers: OutgoingHttpHeaders;
    readonly keepAlive: boolean;
  }): ClientRequest;
  close(): void;
}

export type ConnectPort = (origin: URL) => OriginConnections;

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

interface HttpFetch {
  readonly fetch: Fetch;
  /** Releases the sockets. */
  close(): void;
}

export function createHttpFetch(connect: ConnectPort): HttpFetch {
  const origins = new Map<string, OriginConnections>();
  const connectionsTo = (url: URL): OriginConnections => {
    const known = origins.get(url.origin) ?? connect(url);
    origins.set(url.origin, known);
    return known;
  };

  const fetch: Fetch = async (input, init = {}) => {
    const url = new URL(input);
    init.signal?.throwIfAborted();
    const headers = Object.fromEntries(new Headers(init.headers).entries());
    const body = init.body === undefined || init.body === null ? undefined : String(init.body);
    const outgoing = connectionsTo(url).request({
      ...toMethodOption(init.method),
      path: url.pathname + url.search,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      keepAlive: true,
    });
    return new Promise((resolve, reject) => {
      const onAbort = () => outgoing.destroy(toAbortError(init.signal));
      init.signal?.addEventListener('abort', onAbort, { once: true });
      outgoing.once('close', () => init.signal?.removeEventListener('abort', onAbort));
      if (init.signal?.aborted === true) onAbort();
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        reject(
          NOT_DELIVERED.includes(error.code ?? '')
            ? new NotDeliveredError(unreached(url, error), { cause: error })
            : error,
        ),
      );
      outgoing.once('response', (incoming) => resolve(toResponse(incoming)));
      outgoing.end(body);
    });
  };
  return {
    fetch,
    close() {
      for (const connections of origins.values()) connections.close();
      origins.clear();
    },
  };
}

function toMethodOption(method = 'GET'): { readonly method?: 'GET' | 'DELETE' } {
  switch (method) {
    case 'POST':
      return {};
    case 'GET':
    case 'DELETE':
      return { method };
    default:
      throw new Error(`An MCP transport has no use for ${method}.`);
  }
}

function toAbortError(signal: AbortSignal | null | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('The request was given up.', 'AbortError');
}

function toResponse(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 500;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  if (BODILESS.includes(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  const streams = /^text\/event-stream/i.test(String(incoming.headers['content-type']));
  const body = boundedBody(incoming, streams);
  return new Response(body, { status, statusText: incoming.statusMessage ?? '', headers });
}

/** A break is an error of the stream, in contrast to a regular end. */
function boundedBody(incoming: IncomingMessage, streams: boolean) {
  let bytes = 0;
  let over = false;
  const finish = (settle: () => void) => {
    if (over) return;
    over = true;
    settle();
    incoming.destroy();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: Error) => finish(() => controller.error(error));
      incoming.on('data', (chunk: Buffer) => {
        if (over) return;
        const end = streams ? Math.max(chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\n\r\n')) : -1;
        bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
        if (bytes > MAX_MESSAGE_BYTES) {
          fail(new Error(`The server sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.`));
          return;
        }
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once('end', () => finish(() => controller.close()));
      incoming.once('error', fail);
      incoming.once('close', () => fail(new Error('The answer broke off.')));
    },
    pull: () => void incoming.resume(),
    cancel: () => finish(() => {}),
  });
}

/** Ports of the session for connections over the network. */
export interface RemotePorts {
  readonly connect: ConnectPort;
  /** Stored logins; absent: none. */
  readonly credentials: CredentialStore | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
}
