/**
 * Whom a request to a server on this machine was meant for. A page on the web can let its own name lead to
 * 127.0.0.1 (DNS rebinding): a browser then sends its requests here, with that name as `Host`, and takes them
 * for requests to its own site.
 */

interface Ends {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

/** Both ends of the connection are this machine. */
export function isOfThisMachine({ localAddress, remoteAddress }: Ends): boolean {
  if (remoteAddress === undefined) return false;
  return /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) || remoteAddress === localAddress;
}

interface Asked {
  /** The `Host` header, or `:authority` of HTTP/2. */
  readonly host: string | undefined;
  readonly origin?: string | null | undefined;
  /** Names with or without a port; undefined: addresses and `localhost`. */
  readonly hosts?: readonly string[] | undefined;
  /** `isOfThisMachine` of its connection. */
  readonly isLocal: boolean;
}

/** Why the request is not answered, as a sentence; undefined: it was meant for this server. */
export function refusedHost({ host, origin, hosts, isLocal }: Asked): string | undefined {
  const asked = parsed(`http://${host ?? ''}`);
  const isNamed = (url: URL | undefined) =>
    url !== undefined &&
    hosts?.some((name) => [url.host, url.hostname].includes(name.toLowerCase())) === true;
  const isKnown =
    hosts === undefined ? !isLocal || (asked !== undefined && isAddress(asked)) : isNamed(asked);
  if (!isKnown) return `This server does not answer for the host ${JSON.stringify(host ?? '')}.`;
  if (origin === undefined || origin === null) return undefined;
  const from = parsed(origin);
  const isSame = from !== undefined && (from.host === hostOf(asked, from.protocol) || isNamed(from));
  return isSame ? undefined : 'Pages of other sites may not use this address.';
}

/** An address, or localhost: no name that a resolver is asked for. */
function isAddress({ hostname }: URL): boolean {
  return hostname === 'localhost' || /^\[.*\]$|^\d+(?:\.\d+){3}$/.test(hostname);
}

/** Without the port if it is that of this scheme: `Host` does not say which scheme it is of. */
function hostOf(asked: URL | undefined, protocol: string): string | undefined {
  return asked && parsed(`${protocol}//${asked.host}`)?.host;
}

function parsed(url: string): URL | undefined {
  try {
    const { protocol, username, pathname, search } = new URL(url);
    const isBare = /^https?:$/.test(protocol) && username === '' && pathname === '/' && search === '';
    return isBare ? new URL(url) : undefined;
  } catch {
    return undefined;
  }
}
