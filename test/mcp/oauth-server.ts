/** An MCP server that wants a login, and the authorization server that gives one: discovery, registration, PKCE, rotation. */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServer, httpServer } from './http-server.ts';

export interface OAuthServer extends HttpServer {
  /** How often what was asked for, by name of the endpoint. */
  readonly asked: Readonly<Record<string, number>>;
  /** Seconds that the tokens given from now on live. */
  lifetime: number;
  /** Where the browser is sent to log in. */
  loginPage: string;
  /** No token is good any more; with `refresh`, no refresh token either. */
  revoke(what?: 'refresh'): void;
  /** Plays the person and the browser: opens the login page and follows it to wherever it leads. */
  approve(address: URL): Promise<Response>;
}

export async function oauthServer(): Promise<OAuthServer> {
  const server = (await httpServer({ json: true })) as OAuthServer;
  const { url } = server;
  const asked: Record<string, number> = {};
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, { challenge: string; redirect: string; client: string }>();
  const access = new Set<string>();
  const refresh = new Set<string>();

  const grant = () => {
    const tokens = { access_token: `access-${randomUUID()}`, refresh_token: `refresh-${randomUUID()}` };
    access.add(tokens.access_token);
    refresh.add(tokens.refresh_token);
    return { ...tokens, token_type: 'Bearer', expires_in: server.lifetime };
  };
  const endpoints: Readonly<
    Record<string, (form: URLSearchParams, body: string, query: URLSearchParams) => [number, unknown]>
  > = {
    '/.well-known/oauth-protected-resource': () => [
      200,
      { resource: `${url}/mcp`, authorization_servers: [url], scopes_supported: ['tools'] },
    ],
    '/.well-known/oauth-authorization-server': () => [
      200,
      {
        issuer: url,
        authorization_endpoint: server.loginPage,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        revocation_endpoint: `${url}/revoke`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      },
    ],
    '/register': (_, body) => {
      const { redirect_uris, ...rest } = JSON.parse(body) as { redirect_uris: string[] };
      const client_id = `client-${clients.size + 1}`;
      clients.set(client_id, redirect_uris);
      return [201, { ...rest, redirect_uris, client_id }];
    },
    '/authorize': (_form, _body, query) => {
      const [client, redirect] = [query.get('client_id') ?? '', query.get('redirect_uri') ?? ''];
      const known = clients.get(client)?.includes(redirect) && query.get('code_challenge_method') === 'S256';
      if (known !== true || query.get('resource') !== `${url}/mcp`)
        return [400, { error: 'invalid_request' }];
      const code = randomUUID();
      codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect, client });
      return [302, `${redirect}?${new URLSearchParams({ code, state: query.get('state') ?? '', iss: url })}`];
    },
    '/token': (form) => {
      if (form.get('grant_type') === 'refresh_token')
        return refresh.delete(form.get('refresh_token') ?? '')
          ? [200, grant()]
          : [400, { error: 'invalid_grant' }];
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      return code?.challenge === challenge && code.redirect === form.get('redirect_uri')
        ? [200, grant()]
        : [400, { error: 'invalid_grant' }];
    },
    '/revoke': (form) => {
      refresh.delete(form.get('token') ?? '');
      return [200, {}];
    },
  };

  server.intercept = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const endpoint = endpoints[pathname.replace(/\/mcp$/, '')];
    if (endpoint !== undefined && !(pathname === '/mcp')) {
      asked[pathname] = (asked[pathname] ?? 0) + 1;
      const body = await textOf(request);
      answer(response, ...endpoint(new URLSearchParams(body), body, searchParams));
      return true;
    }
    if (access.has(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '')) return false;
    response.setHeader(
      'www-authenticate',
      `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource"`,
    );
    response.writeHead(401).end();
    return true;
  };
  return Object.assign(server, {
    asked,
    lifetime: 3600,
    loginPage: `${url}/authorize`,
    revoke(what?: 'refresh') {
      access.clear();
      if (what === 'refresh') refresh.clear();
    },
    approve: (address: URL) => fetch(address, { redirect: 'follow' }),
  });
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  if (status === 302) response.writeHead(302, { location: String(value) }).end();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
