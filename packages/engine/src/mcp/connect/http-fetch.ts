/** The `fetch` of MCP servers: what did not arrive has an error of its own. */

import type { ConnectPort } from '@turnwright/base/http/connections.ts';
import { createFetch, type HttpFetch } from '@turnwright/base/http/create-fetch.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { CredentialStore } from '../oauth/credential-store.ts';
import { NotDeliveredError } from './connection-failure.ts';

/** Ports of the session for connections over the network. */
export interface RemotePorts {
  readonly connect: ConnectPort;
  /** Stored logins; absent: none. */
  readonly credentials: CredentialStore | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const NOT_DELIVERED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_PROXY_REFUSED',
];

/** `fetch` that rejects with `NotDeliveredError` when nothing of the request reached its server. */
export function createHttpFetch(connect: ConnectPort): HttpFetch {
  const http = createFetch(connect);
  return {
    fetch: (input, init) =>
      http.fetch(input, init).catch((error: NodeJS.ErrnoException) => {
        if (!NOT_DELIVERED.includes(error.code ?? '')) throw error;
        throw new NotDeliveredError(unreached(new URL(input), error), { cause: error });
      }),
    close: http.close,
  };
}

/** An error on the way to a proxy names the proxy. */
function unreached({ origin }: URL, error: NodeJS.ErrnoException): string {
  const why = 'isOfProxy' in error ? `: ${error.message}` : ` (${error.code})`;
  return `${origin} cannot be reached${why}`;
}
