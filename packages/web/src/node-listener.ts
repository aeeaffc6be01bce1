/** A handler of web requests as a listener of `node:http`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOfThisMachine } from '@turnwright/base/host-header.ts';

/** Requests of `toNodeListener` whose connection came from this machine. */
const local = new WeakSet<Request>();

/** Whether a request is known to have come from this machine. */
export const isLocalRequest = (request: Request): boolean => local.has(request);

/**
 * For `createServer`, Express and the like. The request's signal fires when the connection is gone. An error
 * of the handler is answered with 500.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * createServer(toNodeListener(async () => new Response('Hello')));
 * ```
 */
export function toNodeListener(
  handler: (request: Request) => Promise<Response>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (incoming, outgoing) => {
    void answer(handler, incoming, outgoing).catch(() => {
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  };
}

async function answer(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const response = await handler(toRequest(incoming, gone.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  gone.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined), { once: true });
  while (reader !== undefined && !gone.signal.aborted) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!outgoing.write(value)) await drained(outgoing, gone.signal);
  }
  outgoing.end();
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', headers, url = '/', socket } = incoming;
  const host = readHost(incoming) ?? 'localhost';
  const given = Object.entries(headers).flatMap(([name, value]) =>
    // Of HTTP/2: these are no headers.
    value === undefined || name.startsWith(':') ? [] : [[name, String(value)] as [string, string]],
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // What is no name would fail here, or name another place; the header says it as it came.
  const base = /^[\w.:[\]-]+$/.test(host) ? host : 'localhost';
  const request = new Request(new URL(url, `http://${base}`), {
    method,
    headers: given,
    signal,
    ...(hasBody && { body: toStream(incoming), duplex: 'half' as const }),
  });
  request.headers.set('host', host);
  if (isOfThisMachine(socket)) local.add(request);
  return request;
}

/** In HTTP/2 a pseudo-header names it. */
function readHost({ headers }: IncomingMessage): string | undefined {
  const authority = headers[':authority'];
  return headers.host ?? (typeof authority === 'string' ? authority : undefined);
}

function toStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const iterator = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value as Uint8Array);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

const drained = (outgoing: ServerResponse, gone: AbortSignal) =>
  new Promise<void>((resolve) => {
    outgoing.once('drain', resolve);
    gone.addEventListener('abort', () => resolve(), { once: true });
  });
