/** Ports of the session for fetching pages. */
import type { ConnectPort } from '@turnwright/base/http/connections.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export interface WebPort {
  readonly connect: ConnectPort;
  /** Rejects when the name has no address. Default: the system's resolver. */
  resolve?: ((host: string) => Promise<readonly HostAddress[]>) | undefined;
  /** The user named this host, so it may be a private one. */
  allowsPrivate(url: URL): boolean;
  readonly userAgent: string;
  /** For a page, from the first byte sent to the last one read, ms. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}
