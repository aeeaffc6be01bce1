/** The parts of a URL that Postgres' own clients fill in, for a library that wants them written out. */

/**
 * `postgresql:///name?host=/var/run/postgresql` has neither user nor host: the user is `user` (that of the
 * process), and the host before the socket's folder is a placeholder, which `?host=` overrides.
 */
export function completeUrl(url: string, user: string): string {
  const found = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#]*)(.*)$/s.exec(url);
  if (found === null) return url;
  const [, scheme, credentials, host = '', rest] = found;
  const who = credentials === undefined || credentials === '' ? encodeURIComponent(user) : credentials;
  return `${scheme}${who}@${host === '' ? 'localhost' : host}${rest}`;
}
