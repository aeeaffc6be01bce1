/** What the session lends to whoever fetches a page. */
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';

/** Sockets to one origin: how it is reached (proxy, certificate authorities) is the session's business. */
export interface PageConnections {
  /** A proxy stands between, and looks names up itself. */
  readonly proxied: boolean;
  /** An unsent request; its errors come as `error` events. */
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
  /** The user named this host, so that it may be one that only this machine can reach. */
  allowsPrivate(url: URL): boolean;
  readonly userAgent: string;
  /** For a page, from the first byte sent to the last one read. Default 30 000. */
  readonly timeoutMs?: number | undefined;
}
