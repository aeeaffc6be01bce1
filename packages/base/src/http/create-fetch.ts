/**
 * `fetch` over our own connections, for libraries that take one: proxy and certificate authorities hold,
 * bodies are bounded (T120), redirects are not followed, and there is no time limit but the signal (F78).
 */
import type { IncomingMessage } from 'node:http';
import type { ConnectPort } from './connections.ts';
import { sendRequest } from './send-request.ts';

/** Maximum bytes of a response, or of one event of a stream. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Statuses for which the platform allows no body. */
const BODILESS = [101, 204, 205, 304];

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

export interface HttpFetch {
  readonly fetch: Fetch;
  /** Releases the sockets. */
  close(): void;
}

/** GET, POST and DELETE, with a body of text. Rejects with the connection's error, or the signal's reason. */
export function createFetch(connect: ConnectPort): HttpFetch {
  const origins = new Map<string, ReturnType<ConnectPort>>();
  const connectionsTo = (url: URL): ReturnType<ConnectPort> => {
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
    return toResponse(await sendRequest(outgoing, body, init.signal));
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
      throw new Error(`There is no use for ${method} here.`);
  }
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
      if (incoming.destroyed) fail(new Error('The answer broke off.'));
    },
    pull: () => void incoming.resume(),
    cancel: () => finish(() => {}),
  });
}
