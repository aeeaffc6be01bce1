/**
 * Hosts whose pages everyone reads, and where those who write pages do not learn who reads them: an address
 * there carries nothing out. With their subdomains. What else may be read a person names, in a prompt or in
 * settings.
 */
const KNOWN_HOSTS: readonly string[] = (
  'developer.mozilla.org docs.python.org pypi.org nodejs.org npmjs.com registry.npmjs.org typescriptlang.org ' +
  'react.dev vuejs.org angular.dev svelte.dev nextjs.org vite.dev vitest.dev eslint.org prettier.io jestjs.io ' +
  'playwright.dev docs.rs doc.rust-lang.org crates.io go.dev pkg.go.dev docs.oracle.com kotlinlang.org ' +
  'ruby-doc.org rubygems.org php.net packagist.org learn.microsoft.com postgresql.org sqlite.org redis.io ' +
  'docs.docker.com kubernetes.io git-scm.com gnu.org man7.org wikipedia.org stackoverflow.com w3.org ' +
  'rfc-editor.org datatracker.ietf.org'
).split(' ');

const LONGEST_URL = 500;

/** Why it may not be read on the word of a judge; undefined: it may. `named`: hosts that a person named. */
export function boundOfUrl(text: string, named: readonly string[], isLocalOpen = false): string | undefined {
  if (text.length > LONGEST_URL || !URL.canParse(text)) return 'its address is too long, or none';
  const { protocol, hostname, port, username, password } = new URL(text);
  const host = hostname.replace(/\.$/, '').toLowerCase();
  if (username !== '' || password !== '') return 'its address holds a name or a password';
  if (isLocalOpen && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(host)) return undefined;
  if (protocol !== 'https:' || port !== '') return `${host} is not read by https at its usual port`;
  const isKnown = [...KNOWN_HOSTS, ...named].some(
    (each) => host === each.toLowerCase() || host.endsWith(`.${each.toLowerCase()}`),
  );
  return isKnown ? undefined : `no person has named the host ${host}`;
}

/** Hosts of the addresses in a text. */
export function hostsIn(text: string): readonly string[] {
  return [...text.matchAll(/https?:\/\/[^\s<>"'`)\]}]+/gi)].flatMap(([url]) =>
    URL.canParse(url) ? [new URL(url).hostname] : [],
  );
}
