/** Providers that need no settings, at the addresses that the environment gives them. */
import {
  NAMED_PROVIDERS,
  type NamedProvider,
  PROVIDER_TYPES,
  type ProviderType,
  providerFacts,
} from '../../protocol/model/provider.ts';
import { namedProvider, type ProviderConfig } from '../../protocol/model/provider-config.ts';

/** @param addresses Values of the variables of addresses, by variable. */
export function knownProviders(
  addresses: Readonly<Record<string, string>>,
): Readonly<Record<string, ProviderConfig>> {
  const known: Record<string, ProviderConfig> = {};
  for (const [name, row] of Object.entries(NAMED_PROVIDERS)) {
    const address = addresses[row.addressVariable ?? ''];
    const config = namedProvider(name) as ProviderConfig;
    known[name] = address === undefined ? config : moved(config, row, address);
  }
  for (const type of PROVIDER_TYPES) {
    const baseUrl = addresses[providerFacts(type).addressVariable ?? ''];
    if (baseUrl !== undefined) known[type] = { ...addressed(type), baseUrl };
  }
  return known;
}

/** Of a type whose address is given, whatever gives it. */
export function addressed(type: ProviderType): ProviderConfig {
  return { type, apiKeyEnv: providerFacts(type).keyVariable };
}

function moved(config: ProviderConfig, { api, baseUrl, isLocal }: NamedProvider, address: string) {
  if (isLocal === true) return { ...config, baseUrl: localAddress(address, baseUrl) };
  const isThere = api !== undefined && address.startsWith(new URL(baseUrl).origin);
  return { ...config, baseUrl: address, api: isThere ? api : undefined };
}

/** A server that listens on every address is reached on this machine. */
function localAddress(host: string, byDefault: string): string {
  const { pathname, port } = new URL(byDefault);
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?(.*?)\/*$/i.exec(host.trim()) ?? [];
  const named = rest.replace(/^(?:0\.0\.0\.0|\[?::\]?)?(?=:\d|\/|$)/, 'localhost');
  const hasPort = scheme !== undefined || /:\d+(?=\/|$)/.test(named);
  const address = `${scheme ?? 'http'}://${hasPort ? named : named.replace(/(?=\/|$)/, `:${port}`)}`;
  return URL.canParse(address) ? `${address}${pathname}` : byDefault;
}
