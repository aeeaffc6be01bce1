/**
 * Tokens for a server whose configuration is the login: the client's own credentials, or a person's sign-in
 * at a company's identity provider. They are kept in memory. Loaded with the first such server.
 */
import { createPrivateKey } from 'node:crypto';
import {
  auth,
  createPrivateKeyJwtAuth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import type { Fetch } from '@turnwright/base/http/create-fetch.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Clock } from '../../protocol/ports.ts';
import { NeedsScopeError, NotRenewedError } from '../connect/connection-failure.ts';
import type { McpIdentityProvider, McpOAuthConfig, McpRemoteServerConfig } from '../servers/server-config.ts';
import { authorized, computeExpiry, EARLY_MS } from './bearer.ts';
import { mergedScopes, missingScope, parseChallenge } from './challenge.ts';
import { safeFetch } from './safe-fetch.ts';

interface OwnLoginPorts {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** `fetch` without a token. */
  readonly fetch: Fetch;
}

interface HeldToken {
  readonly token: string;
  readonly scope: string | undefined;
  readonly expiresAtMs: number | undefined;
}

/** `fetch` with such a token; requests to other origins do not carry it (T118). */
export function withOwnLogin(server: McpRemoteServerConfig, { clock, fetch: send }: OwnLoginPorts): Fetch {
  const { origin } = new URL(server.url);
  let held: HeldToken | undefined;
  let getting: Promise<HeldToken> | undefined;

  const renewed = (refused: HeldToken | undefined, refusal: Response): Promise<HeldToken> => {
    if (held !== undefined && held !== refused) return Promise.resolve(held);
    getting ??= obtain(server, refusal, refused?.scope, { clock, fetch: send })
      .then((token) => {
        held = token;
        return token;
      })
      .finally(() => {
        getting = undefined;
      });
    return getting;
  };

  return async (input, init = {}) => {
    if (new URL(input).origin !== origin) return send(input, init);
    const isOld = held?.expiresAtMs !== undefined && held.expiresAtMs - clock.nowMs() <= EARLY_MS;
    const before = isOld ? undefined : held;
    if (isOld) held = undefined;
    const response = await send(input, authorized(init, before?.token));
    if (response.status !== 401 && (await missingScope(response)) === undefined) return response;
    await response.body?.cancel();
    const now = await renewed(before, response);
    const again = await send(input, authorized(init, now.token));
    const missing = await missingScope(again);
    if (missing === undefined) return again;
    await again.body?.cancel();
    throw new NeedsScopeError(
      `The server wants the scope "${missing}", which its authorization server did not give.`,
    );
  };
}

/** Rejects with `NotRenewedError`. */
async function obtain(
  server: McpRemoteServerConfig,
  refusal: Response,
  heldScope: string | undefined,
  { clock, fetch }: OwnLoginPorts,
): Promise<HeldToken> {
  const { resourceMetadataUrl, scope: wanted } = await parseChallenge(refusal);
  const scope = mergedScopes(heldScope, wanted) ?? server.oauth?.scope;
  let tokens: OAuthTokens;
  try {
    tokens = await granted(server, { ...server.oauth, scope }, resourceMetadataUrl, safeFetch(fetch));
  } catch (error) {
    throw new NotRenewedError(`No access token was given for ${server.url} (${errorText(error)}).`, {
      cause: error,
    });
  }
  return {
    token: tokens.access_token,
    scope: tokens.scope ?? scope,
    expiresAtMs: computeExpiry(tokens, clock.nowMs()),
  };
}

/** Discovers the authorization server, and asks it. */
async function granted(
  { url: serverUrl }: McpRemoteServerConfig,
  { clientId = '', clientSecret, privateKey, identityProvider, scope }: McpOAuthConfig,
  resourceMetadataUrl: URL | undefined,
  send: Fetch,
): Promise<OAuthTokens> {
  let tokens: OAuthTokens | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  // Without a redirect URL the library asks for tokens immediately.
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => ({
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    }),
    tokens: () => undefined,
    saveTokens: (given) => {
      tokens = given;
    },
    discoveryState: () => discovery,
    saveDiscoveryState: (found) => {
      discovery = found;
    },
    async prepareTokenRequest() {
      const named = scope ?? discovery?.resourceMetadata?.scopes_supported?.join(' ');
      const asked = new URLSearchParams(named === undefined ? {} : { scope: named });
      if (identityProvider === undefined) {
        asked.set('grant_type', 'client_credentials');
      } else {
        asked.set('grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer');
        asked.set('assertion', await assertionFrom(identityProvider, discovery, named, send));
      }
      return asked;
    },
    ...(privateKey !== undefined && { addClientAuthentication: signedBy(privateKey, clientId) }),
    redirectToAuthorization: noPerson,
    saveCodeVerifier: noPerson,
    codeVerifier: noPerson,
  };
  await auth(provider, {
    serverUrl,
    fetchFn: send,
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  });
  return tokens ?? noPerson();
}

function noPerson(): never {
  throw new Error('its authorization server wants a person to log in');
}

const SIGNING_BY_CURVE: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384' };

/** Proves who the client is with a signature (RFC 7523). */
function signedBy(privateKey: string, clientId: string) {
  const key = createPrivateKey(privateKey);
  const alg =
    key.asymmetricKeyType === 'rsa' ? 'RS256' : SIGNING_BY_CURVE[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (alg === undefined)
    throw new Error('The "privateKey" is neither an RSA key nor an EC key of P-256 or P-384.');
  return createPrivateKeyJwtAuth({
    issuer: clientId,
    subject: clientId,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    alg,
  });
}

/**
 * Exchanges the sign-in (RFC 8693) for an assertion that the server's authorization server takes: it names
 * that server, and nothing else can be reached with it.
 */
async function assertionFrom(
  { tokenEndpoint, clientId, idToken }: McpIdentityProvider,
  discovery: OAuthDiscoveryState | undefined,
  scope: string | undefined,
  send: Fetch,
): Promise<string> {
  const { authorizationServerMetadata, authorizationServerUrl = '', resourceMetadata } = discovery ?? {};
  const resource = resourceMetadata?.resource;
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    subject_token: idToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: authorizationServerMetadata?.issuer ?? authorizationServerUrl,
    client_id: clientId,
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
  });
  const response = await send(tokenEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: body.toString(),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const assertion = isRecord(answer) ? answer['access_token'] : undefined;
  if (response.ok && typeof assertion === 'string') return assertion;
  const said = isRecord(answer) ? (answer['error_description'] ?? answer['error']) : undefined;
  throw new Error(`the identity provider refused the sign-in: ${said ?? `HTTP ${response.status}`}`);
}
