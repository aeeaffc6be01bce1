/**
 * `domain:example.com` allows that host alone, at its default port and without user info; `domain:*.example.com`
 * its subdomains. As a prohibition it covers the subdomains too, whatever the port.
 */
export function matchesUrl(specifier: string, url: string, strict: boolean): boolean {
  const wanted = /^domain:(.+)$/.exec(specifier)?.[1]?.trim().toLowerCase();
  const target = parse(url);
  if (wanted === undefined || target === undefined) return !strict;
  if (strict && (target.username !== '' || target.password !== '' || target.port !== '')) return false;
  const host = hostOf(target);
  if (wanted.startsWith('*.')) return host.endsWith(wanted.slice(1));
  return host === wanted || (!strict && host.endsWith(`.${wanted}`));
}

/** The specifier that allows this URL's host, when it has one. */
export function urlSpecifier(url: string): string | undefined {
  const target = parse(url);
  return target === undefined || hostOf(target) === '' ? undefined : `domain:${hostOf(target)}`;
}

function parse(url: string): URL | undefined {
  try {
    const parsed = new URL(url);
    return parsed.protocol === 'http:' || parsed.protocol === 'https:' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function hostOf(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.$/, '');
}
