/**
 * `domain:example.com` allows only that host, at its default port and without user info;
 * `domain:example.com:8080` at port 8080; `domain:*.example.com` its subdomains. A deny or ask rule covers
 * the subdomains too, and, if it names no port, every port.
 */
export function matchesUrl(specifier: string, url: string, strict: boolean): boolean {
  const wanted = hostInRule(specifier);
  const target = parse(url);
  if (wanted === undefined || target === undefined) return !strict;
  if (strict && (target.username !== '' || target.password !== '')) return false;
  if ((strict || wanted.port !== '') && portOf(target) !== (wanted.port || standardPort(target)))
    return false;
  const host = normaliseHost(target);
  if (wanted.host.startsWith('*.')) return host.endsWith(wanted.host.slice(1));
  return host === wanted.host || (!strict && host.endsWith(`.${wanted.host}`));
}

/**
 * Whether a rule that allows this URL may permit a private address: it names an address, or
 * localhost. The owner of any other name decides which address it resolves to, and may change it later.
 */
export function allowsLocalHost(specifier: string, url: string): boolean {
  const { host } = hostInRule(specifier) ?? { host: '' };
  return LOCAL_NAME.test(host) && matchesUrl(specifier, url, true);
}

const LOCAL_NAME = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\]|(?:[\w-]+\.)*localhost)$/;

/** The specifier that allows this URL's host and port, when it has one. */
export function urlSpecifier(url: string): string | undefined {
  const target = parse(url);
  if (target === undefined || normaliseHost(target) === '') return undefined;
  return `domain:${normaliseHost(target)}${target.port === '' ? '' : `:${target.port}`}`;
}

function hostInRule(specifier: string): { readonly host: string; readonly port: string } | undefined {
  const match = /^domain:\s*(\[[^\]]*\]|[^:]+)(?::(\d+))?\s*$/i.exec(specifier);
  const [, stars = '', name = ''] = /^(\*\.)?(.*)$/.exec(match?.[1]?.trim() ?? '') ?? [];
  if (name === '') return undefined;
  // In the form of URLs: `bücher.example` becomes its ASCII form, `2130706433` an address.
  const host = URL.canParse(`http://${name}`) ? normaliseHost(new URL(`http://${name}`)) : name.toLowerCase();
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

function normaliseHost(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.+$/, '');
}
