/** What a server that refuses a request says about the token that it wants (RFC 6750). */

/** Scopes that the token lacks; undefined: something else, or nothing, is wrong with it. */
export async function missingScope(response: Response): Promise<string | undefined> {
  if (response.status !== 403) return undefined;
  const { error, scope = '' } = await parseChallenge(response);
  return error === 'insufficient_scope' ? scope : undefined;
}

/** Loaded with the first refusal. */
export async function parseChallenge(response: Response) {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  return extractWWWAuthenticateParams(response);
}

/** Each scope once; undefined for none. */
export function mergedScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const names = scopes.flatMap((each) => each?.split(' ') ?? []).filter((name) => name !== '');
  return names.length === 0 ? undefined : [...new Set(names)].join(' ');
}
