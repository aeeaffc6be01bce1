/**
 * The token in requests to a server: from the last login, renewed before it expires and when it is refused.
 */
import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client';
import type { Fetch } from '@turnwright/base/http/create-fetch.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Clock } from '../../protocol/ports.ts';
import { NeedsScopeError, NotRenewedError } from '../connect/connection-failure.ts';
import { mergedScopes, missingScope } from './challenge.ts';
import type { CredentialStore, StoredCredentials } from './credential-store.ts';
import { safeFetch } from './safe-fetch.ts';

interface BearerPorts {
  readonly serverUrl: string;
  readonly store: CredentialStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** `fetch` without a token. */
  readonly fetch: Fetch;
}

/** A token is renewed this long before it expires, ms. */
export const EARLY_MS = 60_000;

/** `fetch` with the token of a login, if there is one; requests to other origins do not carry it (T118). */
export function withBearer(ports: BearerPorts): Fetch {
  const { fetch: send, serverUrl } = ports;
  const { origin } = new URL(serverUrl);
  const bearer = createBearer(ports);
  return async (input, init = {}) => {
    if (new URL(input).origin !== origin) return send(input, init);
    const attempt = async (token: string | undefined) => {
      const response = await send(input, authorized(init, token));
      return { response, missing: token === undefined ? undefined : await missingScope(response) };
    };
    const token = await bearer.token();
    const first = await attempt(token);
    if (first.response.status !== 401 && first.missing === undefined) return first.response;
    // A login in another process may have given what is missing.
    const other = await (first.missing === undefined ? bearer.renewed(token) : bearer.stored());
    if (other === undefined) return first.response;
    if (other !== token) await first.response.body?.cancel();
    const { response, missing } = other === token ? first : await attempt(other);
    if (missing === undefined) return response;
    await response.body?.cancel();
    throw await bearer.wanting(missing);
  };
}

export function authorized(init: RequestInit, token: string | undefined): RequestInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

function createBearer({ serverUrl, store, clock, fetch }: BearerPorts) {
  let known: Promise<StoredCredentials | undefined> | undefined;
  let renewing: Promise<string | undefined> | undefined;

  const renew = async (refused: string | undefined): Promise<string | undefined> => {
    // Another process may have logged in, or renewed the token.
    const stored = await store.read(serverUrl);
    known = Promise.resolve(stored);
    const held = stored?.tokens?.access_token;
    if (stored === undefined || held === undefined || held !== refused) return held;
    if (stored.tokens?.refresh_token === undefined) return undefined;
    const outcome = await refreshed(stored, stored.tokens.refresh_token, fetch);
    if (outcome === 'refused') {
      // A single-use refresh token may just have been used by another process.
      const since = await store.read(serverUrl);
      if (since?.tokens !== undefined && since.tokens.access_token !== refused) {
        known = Promise.resolve(since);
        return since.tokens.access_token;
      }
    }
    const kept = withTokens(stored, outcome === 'refused' ? undefined : outcome, clock.nowMs());
    known = Promise.resolve(kept);
    await store.write(kept);
    return kept.tokens?.access_token;
  };

  const renewed = (refused: string | undefined) => {
    renewing ??= renew(refused).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const stored = () => {
    known = store.read(serverUrl);
    return known;
  };

  return {
    renewed,
    stored: async () => (await stored())?.tokens?.access_token,
    /** Notes what the next login has to ask for; what to tell until then. */
    async wanting(scope: string): Promise<NeedsScopeError> {
      const held = await stored();
      const wantedScope = mergedScopes(held?.wantedScope, scope);
      if (held !== undefined && wantedScope !== held.wantedScope) await store.write({ ...held, wantedScope });
      return new NeedsScopeError(
        `The login does not cover this${scope === '' ? '' : `: the server wants the scope "${scope}"`}.`,
      );
    },
    /** undefined: there is no login. */
    async token(): Promise<string | undefined> {
      known ??= store.read(serverUrl);
      const held = await known;
      const token = held?.tokens?.access_token;
      const leftMs = (held?.expiresAtMs ?? Number.POSITIVE_INFINITY) - clock.nowMs();
      if (held?.tokens?.refresh_token === undefined || leftMs > EARLY_MS) return token;
      try {
        return await renewed(token);
      } catch (error) {
        // It is valid for a while.
        if (leftMs > 0) return token;
        throw error;
      }
    },
  };
}

/** The record after a login or a renewal at `nowMs`. */
export function withTokens(
  credentials: StoredCredentials,
  tokens: OAuthTokens | undefined,
  nowMs: number,
): StoredCredentials {
  return { ...credentials, tokens, expiresAtMs: computeExpiry(tokens, nowMs) };
}

/** ms since 1970; undefined if the server does not say. */
export function computeExpiry(tokens: OAuthTokens | undefined, nowMs: number): number | undefined {
  const lifetime = tokens?.expires_in;
  return lifetime === undefined ? undefined : nowMs + lifetime * 1000;
}

/** Errors of an authorization server that say nothing about the token. */
const PASSING: readonly string[] = ['server_error', 'temporarily_unavailable', 'too_many_requests'];

/**
 * `refused`: it was revoked or has expired. Rejects with `NotRenewedError` when the authorization server is
 * not available.
 */
async function refreshed(
  { authorizationServer, metadata, resource, client }: StoredCredentials,
  refreshToken: string,
  fetch: Fetch,
): Promise<OAuthTokens | 'refused'> {
  const { OAuthError, refreshAuthorization } = await import('@modelcontextprotocol/client');
  try {
    const tokens = await refreshAuthorization(authorizationServer, {
      // As the library read it at the login.
      ...(metadata !== undefined && { metadata: metadata as AuthorizationServerMetadata }),
      clientInformation: client,
      refreshToken,
      ...(resource !== undefined && { resource }),
      fetchFn: safeFetch(fetch),
    });
    return { ...tokens, issuer: authorizationServer } as OAuthTokens;
  } catch (error) {
    if (error instanceof OAuthError && !PASSING.includes(error.code)) return 'refused';
    const why = errorText(error);
    throw new NotRenewedError(`The access token could not be renewed at ${authorizationServer} (${why}).`, {
      cause: error,
    });
  }
}
