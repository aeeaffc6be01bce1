/**
 * Login to a server, with the protocol library's OAuth: discovery, dynamic registration, PKCE, and a browser
 * redirect to this machine. Only on the user's request: a session never starts one.
 */

import { randomBytes } from 'node:crypto';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { ConnectPort } from '@turnwright/base/http/connections.ts';
import type { Fetch } from '@turnwright/base/http/create-fetch.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { createHttpFetch } from '../connect/http-fetch.ts';
import { requestMeta, STATELESS_REVISION } from '../revisions/revisions.ts';
import type { McpRemoteServerConfig } from '../servers/server-config.ts';
import { withTokens } from './bearer.ts';
import { type Callback, listenForCallback } from './callback.ts';
import { mergedScopes, parseChallenge } from './challenge.ts';
import type { CredentialStore, StoredCredentials } from './credential-store.ts';
import { isSafe, safeFetch } from './safe-fetch.ts';

export interface LogInOptions {
  readonly server: McpRemoteServerConfig;
  readonly store: CredentialStore;
  readonly connect: ConnectPort;
  readonly nowMs: () => number;
  /** Receives the web address that the user has to open. */
  show(address: URL): void | Promise<void>;
  readonly signal: AbortSignal;
}

const MAX_ERROR_CHARS = 500;

/** Resolves when the tokens are stored. Rejects with a sentence, or with the signal's reason. */
export async function logInToServer(options: LogInOptions): Promise<void> {
  const { server, store, signal } = options;
  const http = createHttpFetch(options.connect);
  const before = await store.read(server.url);
  const callback = await listenForCallback(portsFor(server, before));
  try {
    await withCallback(options, callback, before, safeFetch(http.fetch, signal));
  } catch (error) {
    signal.throwIfAborted();
    const message = errorText(error);
    throw new Error(cleanText(message, MAX_ERROR_CHARS), { cause: error });
  } finally {
    callback.close();
    http.close();
  }
}

async function withCallback(
  { server, store, nowMs, show, signal }: LogInOptions,
  callback: Callback,
  before: StoredCredentials | undefined,
  fetch: Fetch,
): Promise<void> {
  const { auth } = await import('@modelcontextprotocol/client');
  const attempt = createAttempt(server, callback.url, before);
  const challenge = await parseChallenge(await knock(server, fetch));
  const { resourceMetadataUrl } = challenge;
  // What a request lacked, beside what the login gave so far.
  const more = before?.wantedScope && mergedScopes(before.tokens?.scope, before.wantedScope);
  const scope = more ?? challenge.scope ?? server.oauth?.scope;
  const where = {
    serverUrl: server.url,
    fetchFn: fetch,
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  };
  await auth(attempt.provider, where);
  const address = attempt.address();
  // A browser opens it, or another program if it is not a web address (T116).
  if (address === undefined || !isSafe(address))
    throw new Error('The authorization server names a login page that is no https address.');
  const answered = callback.answer(attempt.state, signal);
  answered.catch(() => undefined);
  await show(address);
  const { code, issuer } = await answered;
  const expected = attempt.discovery()?.authorizationServerMetadata?.issuer;
  if (issuer !== undefined && expected !== undefined && issuer !== expected)
    throw new Error(`The login was answered by ${issuer}, not by ${expected}, so it was not used.`);
  await auth(attempt.provider, {
    ...where,
    authorizationCode: code,
    ...(issuer !== undefined && { iss: issuer }),
  });
  await store.write(attempt.credentials(nowMs()));
}

/** Sends a request without a token, to learn the authorization server. */
async function knock(server: McpRemoteServerConfig, send: Fetch): Promise<Response> {
  const first = await knockWith(server, send, 'ping', {});
  if (server.type === 'sse' || first.status === 401 || first.status === 403) return first;
  // A server without sessions may refuse that for its form alone.
  return knockWith(server, send, 'server/discover', { _meta: requestMeta('0') });
}

async function knockWith(server: McpRemoteServerConfig, send: Fetch, method: string, params: object) {
  const isStateless = method !== 'ping';
  const response = await send(server.url, {
    method: server.type === 'sse' ? 'GET' : 'POST',
    headers: {
      ...server.headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(isStateless && { 'mcp-protocol-version': STATELESS_REVISION, 'mcp-method': method }),
    },
    ...(server.type === 'http' && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }),
  });
  await response.body?.cancel();
  return response;
}

/** State of one login, as the library needs it. */
function createAttempt(
  server: McpRemoteServerConfig,
  redirectUrl: string,
  before: StoredCredentials | undefined,
) {
  const state = randomBytes(32).toString('base64url');
  const { clientId, clientSecret, clientMetadataUrl, scope } = server.oauth ?? {};
  const given: StoredOAuthClientInformation | undefined =
    clientId === undefined
      ? undefined
      : { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  // A client is bound to the redirect URL and the authorization server that it was registered with.
  let client = given ?? (before?.redirectUrl === redirectUrl ? registeredClient(before) : undefined);
  let tokens: OAuthTokens | undefined;
  let verifier: string | undefined;
  let address: URL | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Turnwright',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope !== undefined && { scope }),
    },
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    state: () => state,
    clientInformation: () => client,
    ...(given === undefined && {
      saveClientInformation: (registered: StoredOAuthClientInformation) => {
        client = registered;
      },
    }),
    // A login ignores stored tokens.
    tokens: () => undefined,
    saveTokens: (granted) => {
      tokens = granted;
    },
    redirectToAuthorization: (url) => {
      address = url;
    },
    saveCodeVerifier: (secret) => {
      verifier = secret;
    },
    codeVerifier: () => verifier ?? '',
    discoveryState: () => discovery,
    saveDiscoveryState: (found) => {
      discovery = found;
    },
    invalidateCredentials: (what) => {
      if (given === undefined && (what === 'all' || what === 'client')) client = undefined;
    },
  };
  return {
    provider,
    state,
    address: () => address,
    discovery: () => discovery,
    credentials(nowMs: number): StoredCredentials {
      if (client === undefined || discovery === undefined || tokens === undefined)
        throw new Error('The authorization server gave no token.');
      const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
      const found = {
        serverUrl: server.url,
        authorizationServer: authorizationServerUrl,
        metadata,
        resource: resourceMetadata?.resource,
        client,
        redirectUrl,
      };
      return withTokens(found, tokens, nowMs);
    },
  };
}

function registeredClient({
  authorizationServer,
  client,
  metadata,
}: StoredCredentials): StoredOAuthClientInformation {
  const issuer = client['issuer'] ?? metadata?.['issuer'] ?? authorizationServer;
  return { ...client, issuer: String(issuer) } as StoredOAuthClientInformation;
}

/** The client's registered port, else any. */
function portsFor(server: McpRemoteServerConfig, before: StoredCredentials | undefined): readonly number[] {
  const { callbackPort } = server.oauth ?? {};
  if (callbackPort !== undefined) return [callbackPort];
  return before?.redirectUrl === undefined ? [0] : [Number(new URL(before.redirectUrl).port), 0];
}
