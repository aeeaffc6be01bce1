/**
 * Sockets to one endpoint: a keep-alive agent per process and origin, shared by all clients that reach it the same
 * way; idle sockets do not keep the process alive. TLS is loaded for https only.
 */
import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { bypassesProxy, portOf } from './proxy-rules.ts';

export interface EndpointOptions {
  readonly baseUrl: URL;
  readonly proxyUrl?: URL | undefined;
  readonly noProxy?: string | undefined;
  /** Extra certificate authorities, PEM. */
  readonly ca?: string | Buffer | undefined;
}

export interface HttpRequest {
  /** Default POST. */
  readonly method?: 'GET' | 'DELETE';
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** false: a socket of its own, closed afterwards. */
  readonly keepAlive: boolean;
  /** Finds the address of the host; default the system's. Not asked where a proxy does it. */
  readonly lookup?: LookupFunction;
}

export interface Connections {
  /** A proxy stands between, and looks names up itself. */
  readonly proxied: boolean;
  /** An unsent request, at once where the way is known; its errors come as `error` events. */
  request(input: HttpRequest): ClientRequest | Promise<ClientRequest>;
  /** Drops idle sockets: after a sleep of the machine they are dead without knowing it. */
  dropIdle(): void;
  /** Gives the shared agent back; the last one out closes its sockets. */
  close(): void;
}

/** A proxy that refused to connect. */
export class ProxyRefusal extends Error {
  readonly code = 'ERR_PROXY_REFUSED';
  readonly status: number;
  constructor(status: number) {
    super(`The proxy refused to connect (${status}).`);
    this.status = status;
  }
}

interface Route {
  readonly agent: Agent;
  makeAgent(keepAlive: boolean): Agent;
  request(options: RequestOptions): ClientRequest;
}

interface SharedRoute {
  /** A promise until TLS is loaded. */
  route: Route | Promise<Route>;
  users: number;
}

const shared = new Map<string, SharedRoute>();

const TUNNEL_TIMEOUT_MS = 30_000;
/** Idle sockets older than this are closed before the far side does; a shorter `keep-alive` hint of the server counts. */
const IDLE_SOCKET_MS = 60_000;

export function openConnections(options: EndpointOptions): Connections {
  const { baseUrl } = options;
  const proxy =
    options.proxyUrl !== undefined && !bypassesProxy(baseUrl, options.noProxy) ? options.proxyUrl : undefined;
  const key = JSON.stringify([baseUrl.origin, proxy?.href, options.ca?.toString()]);
  let entry: SharedRoute | undefined;

  function enter(): SharedRoute {
    if (entry === undefined) {
      entry = shared.get(key) ?? open();
      shared.set(key, entry);
      entry.users++;
    }
    return entry;
  }

  function open(): SharedRoute {
    if (baseUrl.protocol === 'http:') return { route: plainRoute(), users: 0 };
    const opened: SharedRoute = { route: openTlsRoute(baseUrl, proxy, options.ca), users: 0 };
    (opened.route as Promise<Route>).then((route) => {
      opened.route = route;
    }, ignore);
    return opened;
  }

  const absolute = proxy !== undefined && baseUrl.protocol === 'http:';
  const at = absolute ? proxy : baseUrl;
  const place = {
    // WHATWG keeps the brackets of an IPv6 host; sockets want it bare.
    host: at.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(at),
  };
  const host = { host: baseUrl.host };
  const authorization = absolute ? proxyAuthorization(proxy) : {};

  function send(route: Route, { method, path, headers, keepAlive, lookup }: HttpRequest): ClientRequest {
    return route.request({
      method: method ?? 'POST',
      ...place,
      path: absolute ? `${baseUrl.origin}${path}` : path,
      headers: { ...host, ...headers, ...authorization },
      agent: keepAlive ? route.agent : route.makeAgent(false),
      ...(proxy === undefined && lookup !== undefined && { lookup }),
    });
  }

  return {
    proxied: proxy !== undefined,
    request(input) {
      const { route } = enter();
      return 'then' in route ? route.then((opened) => send(opened, input)) : send(route, input);
    },
    dropIdle() {
      // A way that is still being opened has no sockets.
      if (entry === undefined || 'then' in entry.route) return;
      for (const sockets of Object.values(entry.route.agent.freeSockets))
        for (const socket of sockets ?? []) socket.destroy();
    },
    close() {
      const leaving = entry;
      entry = undefined;
      if (leaving === undefined || --leaving.users > 0) return;
      shared.delete(key);
      Promise.resolve(leaving.route).then(({ agent }) => agent.destroy(), ignore);
    },
  };
}

const SETTINGS = { noDelay: true, scheduling: 'lifo', timeout: IDLE_SOCKET_MS } as const;

function plainRoute(): Route {
  const makeAgent = (keepAlive: boolean) => new Agent({ ...SETTINGS, keepAlive });
  return { agent: makeAgent(true), makeAgent, request: httpRequest };
}

async function openTlsRoute(
  target: URL,
  proxy: URL | undefined,
  ca: string | Buffer | undefined,
): Promise<Route> {
  const [https, tls] = await Promise.all([import('node:https'), import('node:tls')]);
  const trust = ca === undefined ? {} : { ca: [...tls.rootCertificates, ca] };
  const makeAgent = (keepAlive: boolean): Agent => {
    const agent = new https.Agent({ ...SETTINGS, ...trust, keepAlive });
    if (proxy === undefined) return agent;
    const connectRequest = proxy.protocol === 'https:' ? https.request : httpRequest;
    return Object.assign(agent, {
      createConnection(options: object, done: (error: Error | null, socket?: Socket) => void): undefined {
        openTunnel(connectRequest, proxy, target, (error, socket) => {
          if (socket === undefined) done(error);
          else done(null, tls.connect({ ...options, socket, servername: target.hostname }));
        });
      },
    });
  };
  return { agent: makeAgent(true), makeAgent, request: https.request };
}

function openTunnel(
  connectRequest: typeof httpRequest,
  proxy: URL,
  target: URL,
  done: (error: Error | null, socket?: Duplex) => void,
): void {
  const authority = `${target.hostname}:${portOf(target)}`;
  const connect = connectRequest({
    method: 'CONNECT',
    host: proxy.hostname,
    port: portOf(proxy),
    path: authority,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    agent: false,
    timeout: TUNNEL_TIMEOUT_MS,
  });
  connect.once('connect', (response, socket) => {
    socket.setTimeout(0);
    if (response.statusCode === 200) return done(null, socket);
    socket.destroy();
    done(new ProxyRefusal(response.statusCode ?? 0));
  });
  // A refusal with a body comes as an ordinary response.
  connect.once('response', (response) => {
    response.destroy();
    done(new ProxyRefusal(response.statusCode ?? 0));
  });
  connect.once('timeout', () =>
    connect.destroy(Object.assign(new Error('The proxy did not answer.'), { code: 'ETIMEDOUT' })),
  );
  connect.once('error', (error) => done(error));
  connect.end();
}

function proxyAuthorization(proxy: URL): { 'proxy-authorization'?: string } {
  if (proxy.username === '') return {};
  const userInfo = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` };
}

function ignore(): void {}
