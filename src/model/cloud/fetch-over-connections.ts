/**
 * `fetch` for the small requests by which clients obtain tokens: over our connections, so that a proxy and
 * additional certificate authorities hold for them, too.
 */
import { openConnections } from '../http/connections.ts';
import { openHttpCall } from '../http/http-call.ts';
import { toLife } from '../life-of.ts';
import type { WireSetup } from '../wire-setup.ts';

const MAX_ANSWER_BYTES = 1024 * 1024;

/** Rejects with the reason of the connection's failure. */
export function createFetch({
  proxyUrl,
  noProxy,
  ca,
}: Pick<WireSetup, 'proxyUrl' | 'noProxy' | 'ca'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const connections = openConnections({
      baseUrl: new URL(url.origin),
      proxyUrl: proxyUrl ? new URL(proxyUrl) : undefined,
      noProxy,
      ca,
    });
    const call = openHttpCall(
      connections,
      {
        ...(request.method !== 'POST' && { method: request.method as 'GET' }),
        path: url.pathname + url.search,
        headers: {
          ...Object.fromEntries(request.headers),
          'accept-encoding': 'identity',
          'content-length': body.length,
        },
        keepAlive: false,
      },
      body.length === 0 ? [] : [body],
      toLife(request.signal),
    );
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      while (!call.ended && call.stopped === undefined && bytes <= MAX_ANSWER_BYTES) {
        await call.changed();
        for (const chunk of call.take()) {
          chunks.push(chunk);
          bytes += chunk.length;
        }
      }
      if (call.stopped?.kind === 'failed') throw new Error(call.stopped.failure.message);
      if (call.stopped !== undefined || call.head === undefined)
        throw new DOMException('The request was aborted.', 'AbortError');
      const { status, headers } = call.head;
      const text = Buffer.concat([...chunks, ...call.take()]);
      return new Response(status === 204 || status === 304 ? null : text, {
        status,
        headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, value]],
        ),
      });
    } finally {
      call.close();
      connections.close();
    }
  };
}
