/**
 * `domain:example.com` allows that host alone, at its default port and without user info; `domain:example.com:8080`
 * at this port; `domain:*.example.com` its subdomains. As a prohibition it covers the subdomains too, and, where it
 * names no port, every port.
 */
export function matchesUrl(specifier: string, url: string, strict: boolean): boolean {
  const wanted = hostInRule(specifier);
  const target = parse(url);
  if (wanted === undefined || target === undefined) return !strict;
  if (strict && (target.username !== '' || target.password !== '')) return false;
  if ((strict || wanted.port !== '') && portOf(target) !== (wanted.port || standardPort(target)))
    return false;
  const host = hostOf(target);
  if (wanted.host.startsWith('*.')) return host.endsWith(wanted.host.slice(1));
  return host === wanted.host || (!strict && host.endsWith(`.${wanted.host}`));
}

/**
 * Whether a rule that allows this URL means a host that only this machine can reach: it names an address, or
 * localhost. Any other name leads wherever its owner says, which may change after the rule was written.
 */
export function allowsLocalHost(specifier: string, url: string): boolean {
  const { host } = hostInRule(specifier) ?? { host: '' };
  return LOCAL_NAME.test(host) && matchesUrl(specifier, url, true);
}

const LOCAL_NAME = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\]|(?:[\w-]+\.)*localhost)$/;

/** The specifier that allows this URL's host and port, when it has one. */
export function urlSpecifier(url: string): string | undefined {
  const target = parse(url);
  if (target === undefined || hostOf(target) === '') return undefined;
  return `domain:${hostOf(target)}${target.port === '' ? '' : `:${target.port}`}`;
}

function hostInRule(specifier: string): { readonly host: string; readonly port: string } | undefined {
  const match = /^domain:\s*(\[[^\]]*\]|[^:]+)(?::(\d+))?\s*$/i.exec(specifier);
  const [, stars = '', name = ''] = /^(\*\.)?(.*)$/.exec(match?.[1]?.trim() ?? '') ?? [];
  if (name === '') return undefined;
  // Written as URLs write it: `bücher.example` is a name of another alphabet, `2130706433` an address.
  const host = URL.canParse(`http://${name}`) ? hostOf(new URL(`http://${name}`)) : name.toLowerCase();
  return { host: `${stars}${host}`, port: match?.[2] ?? '' };
}

function parse(url: string): URL | undefined {
  try {
    const parsed = new URL(url);
    return parsed.protocol === 'http:' || parsed.protocol === 'https:' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const standardPort = ({ protocol }: URL): string => (protocol === 'https:' ? '443' : '80');
const portOf = (url: URL): string => url.port || standardPort(url);

function hostOf(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.+$/, '');
}
