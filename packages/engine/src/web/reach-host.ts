/** Resolves a host and restricts the connection to the checked addresses. */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { forbiddenAddress } from './address-guard.ts';
import type { HostAddress, WebPort } from './web-port.ts';

type Reach =
  /** The connection uses the checked addresses: another look-up could return others. */
  { readonly ok: true; readonly lookup?: LookupFunction } | { readonly ok: false; readonly why: string };

export async function reachHost(
  url: URL,
  connections: Pick<ReturnType<WebPort['connect']>, 'proxied'>,
  port: WebPort,
): Promise<Reach> {
  if (port.allowsPrivate(url)) return { ok: true };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return refusal(url, [{ address: host, family: isIP(host) }]) ?? { ok: true };
  let addresses: readonly HostAddress[];
  try {
    addresses = await (port.resolve ?? resolveBySystem)(host);
  } catch (error) {
    // Behind a proxy, names may not be resolvable here.
    if (connections.proxied) return { ok: true };
    const code = (error as NodeJS.ErrnoException).code;
    return { ok: false, why: `The host ${host} has no address${code === undefined ? '' : ` (${code})`}.` };
  }
  if (addresses.length === 0) return { ok: false, why: `The host ${host} has no address.` };
  return refusal(url, addresses) ?? { ok: true, lookup: pinned(addresses) };
}

/** One forbidden address excludes the host, because any of them may be used. */
function refusal(url: URL, addresses: readonly HostAddress[]): Reach | undefined {
  for (const { address } of addresses) {
    const kind = forbiddenAddress(address);
    if (kind === undefined) continue;
    return {
      ok: false,
      why: `${url.host} was not asked: its address ${address} is ${kind}, and WebFetch reads public pages only. The user can open a host by name: a permission rule WebFetch(domain:${url.host}) for an address or localhost, the setting webFetchPrivateHosts for others.`,
    };
  }
  return undefined;
}

const resolveBySystem = (host: string): Promise<readonly HostAddress[]> => systemLookup(host, { all: true });

function pinned(addresses: readonly HostAddress[]): LookupFunction {
  const [first] = addresses;
  return (_, options, done) => {
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}
