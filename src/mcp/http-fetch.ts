/**
 * `fetch` for MCP servers on Node's own client: no limit of its own on how long an answer takes (F78), no redirect
 * followed unasked, no body without bound (T120). Loaded with the first remote server.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable, Transform } from 'node:stream';

/** Bytes of an answer, or of one event of a stream. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** The platform allows no body with these. */
const BODILESS = [101, 204, 205, 304];

export interface BodyEnd {
  /** The stream carried event ids: it can be taken up again where it broke. */
  readonly resumable: boolean;
}

/** The request never reached the server: it may be made again. */
export class NotDeliveredError extends Error {}

const NOT_DELIVERED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** `onBodyEnd` is told when an event stream ends or breaks, with the body of the request it answered. */
export function createHttpFetch(onBodyEnd: (requestBody: string | undefined, end: BodyEnd) => void) {
  return (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    const headers = Object.fromEntries(new Headers(init.headers).entries());
    const body = init.body === undefined || init.body === null ? undefined : String(init.body);
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const outgoing = request(url, {
        method: init.method ?? 'GET',
        headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
        ...(init.signal && { signal: init.signal }),
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          NOT_DELIVERED.includes(error.code ?? '')
            ? new NotDeliveredError(`${url.origin} cannot be reached (${error.code})`, { cause: error })
            : error,
        ),
      );
      outgoing.once('response', (incoming) => resolve(responseOf(incoming, (end) => onBodyEnd(body, end))));
      outgoing.end(body);
    });
  };
}

function responseOf(incoming: IncomingMessage, onEnd: (end: BodyEnd) => void): Response {
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
  const bounded = boundedBody(streams);
  incoming.once('error', (error) => bounded.stream.destroy(error));
  // An answer that stops in the middle ends without an error of its own.
  incoming.once('aborted', () => bounded.stream.destroy(new Error('The answer broke off.')));
  if (streams) bounded.stream.once('close', () => onEnd({ resumable: bounded.sawEventId() }));
  bounded.stream.once('close', () => incoming.destroy());
  incoming.pipe(bounded.stream);
  const body = Readable.toWeb(bounded.stream) as unknown as ReadableStream<Uint8Array>;
  return new Response(body, { status, statusText: incoming.statusMessage ?? '', headers });
}

function boundedBody(streams: boolean): { readonly stream: Transform; sawEventId(): boolean } {
  let bytes = 0;
  let eventId = false;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = streams ? Math.max(chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\n\r\n')) : -1;
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
      if (streams && !eventId) eventId = /(?:^|[\r\n])id:/.test(chunk.toString('latin1'));
      if (bytes <= MAX_MESSAGE_BYTES) done(null, chunk);
      else done(new Error(`The server sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.`));
    },
  });
  return { stream, sawEventId: () => eventId };
}
