/** Which hosts are reached without the proxy. */

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * `noProxy` is the usual list: hosts, `.domains`, `host:port` and `*`, separated by commas or spaces; a name
 * also covers its subdomains. Loopback never uses a proxy, which could not reach it.
 */
export function bypassesProxy(target: URL, noProxy: string | undefined): boolean {
  const host = target.hostname.toLowerCase();
  if (LOOPBACK.test(host)) return true;
  const port = portOf(target);
  return (noProxy ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((rule) => rule !== '')
    .some((rule) => matches(rule, host, port));
}

export function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  const [, name = rule, rulePort] = /^(.+?)(?::(\d+))?$/.exec(rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const bare = name.replace(/^\*?\./, '');
  return host === bare || host.endsWith(`.${bare}`);
}
