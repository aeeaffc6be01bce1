/** Ports of the session for fetching pages. */
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';

/** Sockets to one origin; the session configures proxy and certificate authorities. */
export interface PageConnections {
  /** Requests pass a proxy, which resolves names itself. */
  readonly proxied: boolean;
  /** An unsent request; errors are emitted as `error` events. */
  request(input: {
    readonly method: 'GET';
    readonly path: string;
    readonly headers: OutgoingHttpHeaders;
    readonly keepAlive: boolean;
    readonly lookup?: LookupFunction;
  }): ClientRequest | Promise<ClientRequest>;
  close(): void;
}

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export interface WebPort {
  connect(origin: URL): PageConnections;
  /** Rejects when the name has no address. Default: the system's resolver. */
  resolve?: ((host: string) => Promise<readonly HostAddress[]>) | undefined;
  /** The user named this host, so it may be a private one. */
  allowsPrivate(url: URL): boolean;
  readonly userAgent: string;
  /** For a page, from the first byte sent to the last one read, ms. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}
