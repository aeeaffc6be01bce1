/**
 * Sockets to one endpoint: a keep-alive agent per process and origin, shared by all clients with the same
 * route. Idle sockets do not keep the process alive. TLS is loaded for https only.
 *
 * All that the package sends goes through here, so proxy and certificate authorities hold for all of it.
 * It is used in three ways: a call to a model keeps its bytes as state (`model/http/http-call.ts`, measured);
 * libraries take a `fetch` (`create-fetch.ts`); pages and hooks send one request (`send-request.ts`).
 */
import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { http, https, tls } from '../node.ts';

interface EndpointOptions {
  readonly baseUrl: URL;
  /** Of the proxy; one that is no URL throws `TypeError`. */
  readonly proxyUrl?: string | undefined;
  readonly noProxy?: string | undefined;
  /** Extra certificate authorities, PEM. */
  readonly ca?: string | Buffer | undefined;
}

export interface HttpRequest {
  /** Default POST. */
  readonly method?: 'GET' | 'DELETE';
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** false: a socket of its own, closed after the request. */
  readonly keepAlive: boolean;
  /** Resolves the host name; default the system's resolver. Not used where a proxy resolves names. */
  readonly lookup?: LookupFunction;
}

export interface Connections {
  /** Requests pass a proxy, which resolves names itself. */
  readonly proxied: boolean;
  /** An unsent request; errors are emitted as `error` events. */
  request(input: HttpRequest): ClientRequest;
  /** Closes idle sockets: they are dead after the machine slept. */
  dropIdle(): void;
  /** Releases the shared agent; the last release closes its sockets. */
  close(): void;
}

/** Sockets to the origin of an address, with the proxy and the certificate authorities of the session. */
export type ConnectPort = (url: URL) => Pick<Connections, 'close' | 'proxied' | 'request'>;

/** A proxy that refused to connect. */
class ProxyRefusal extends Error {
  readonly code = 'ERR_PROXY_REFUSED';
  readonly isOfProxy = true;
  readonly status: number;
  constructor(status: number, proxy: URL, target: URL) {
    const why =
      status === 407
        ? 'asks for a name and a password (407): put them into its address, http://name:password@host:port'
        : `refused to connect (${status})`;
    super(`${namedProxy(proxy, target)} ${why}.`);
    this.status = status;
  }
}

/** The proxy, and where its address was set. */
function namedProxy({ host }: URL, { protocol }: URL): string {
  const variable = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  return `The proxy (${host}, from ${variable}, ALL_PROXY or the setting proxyUrl)`;
}

/** An error on the way to the proxy says so: its reader would think of the server. Changed in place. */
function onProxy(error: NodeJS.ErrnoException, proxy: URL, target: URL): NodeJS.ErrnoException {
  const says = proxySentence(error.code);
  if (says === undefined) return error;
  const message = `${namedProxy(proxy, target)} ${says} NO_PROXY lists what is reached without it.`;
  return Object.assign(error, { message, isOfProxy: true });
}

function proxySentence(code: string | undefined): string | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return 'refuses connections.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'has a host name that could not be resolved.';
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'does not answer.';
    default:
      return undefined;
  }
}

/** Without a tunnel the proxy's own answer comes where the endpoint's would; a 407 is always the proxy's. */
function sayProxy(sent: ClientRequest, proxy: URL, target: URL): void {
  sent.prependListener('error', (error) => onProxy(error, proxy, target));
  const emit = sent.emit.bind(sent);
  sent.emit = (name: string | symbol, ...values: unknown[]) => {
    const [response] = values as [IncomingMessage?];
    if (name !== 'response' || response?.statusCode !== 407) return emit(name, ...values);
    response.destroy();
    return emit('error', new ProxyRefusal(407, proxy, target));
  };
}

interface Route {
  readonly agent: Agent;
  makeAgent(keepAlive: boolean): Agent;
  request(options: RequestOptions): ClientRequest;
}

interface SharedRoute {
  readonly route: Route;
  users: number;
}

const shared = new Map<string, SharedRoute>();

const TUNNEL_TIMEOUT_MS = 30_000;
/**
 * Idle sockets older than this are closed before the server closes them; a shorter `keep-alive` hint of the
 * server counts.
 */
const IDLE_SOCKET_MS = 60_000;

export function openConnections(options: EndpointOptions): Connections {
  const { baseUrl } = options;
  const given = options.proxyUrl ? new URL(options.proxyUrl) : undefined;
  const proxy = given === undefined || bypassesProxy(baseUrl, options.noProxy) ? undefined : given;
  const key = JSON.stringify([baseUrl.origin, proxy?.href, options.ca?.toString()]);
  let entry: SharedRoute | undefined;

  function enter(): Route {
    if (entry === undefined) {
      entry = shared.get(key) ?? { route: openRoute(baseUrl, proxy, options.ca), users: 0 };
      shared.set(key, entry);
      entry.users++;
    }
    return entry.route;
  }

  const absolute = proxy !== undefined && baseUrl.protocol === 'http:';
  const at = absolute ? proxy : baseUrl;
  // WHATWG URLs keep the brackets of an IPv6 host; sockets need it without them.
  const hostname = at.hostname.startsWith('[') ? at.hostname.slice(1, -1) : at.hostname;
  const port = portOf(at);
  const named = { host: baseUrl.host, ...(absolute && proxyAuthorization(proxy)) };

  return {
    proxied: proxy !== undefined,
    request({ method = 'POST', path, headers, keepAlive, lookup }) {
      const route = enter();
      const sent = route.request({
        method,
        host: hostname,
        port,
        path: absolute ? `${baseUrl.origin}${path}` : path,
        headers: written(headers, named),
        agent: keepAlive ? route.agent : route.makeAgent(false),
        ...(proxy === undefined && lookup !== undefined && { lookup }),
      });
      if (absolute) sayProxy(sent, proxy, baseUrl);
      return sent;
    },
    dropIdle() {
      if (entry === undefined) return;
      for (const sockets of Object.values(entry.route.agent.freeSockets))
        for (const socket of sockets ?? []) socket.destroy();
    },
    close() {
      const leaving = entry;
      entry = undefined;
      if (leaving === undefined || --leaving.users > 0) return;
      shared.delete(key);
      // Deferred: the end of a session does not wait for its sockets.
      setImmediate(() => leaving.route.agent.destroy());
    },
  };
}

/**
 * As a list, which Node writes unchanged. A custom `host` header must be known to Node: it is the name in the
 * certificate.
 */
function written(headers: OutgoingHttpHeaders, named: OutgoingHttpHeaders): string[] | OutgoingHttpHeaders {
  const { host } = headers;
  if (host !== undefined) return { ...headers, ...named, host };
  const list: string[] = [];
  for (const name in headers) if (!(name in named)) list.push(name, String(headers[name]));
  for (const name in named) list.push(name, String(named[name]));
  return list;
}

const SETTINGS = { noDelay: true, scheduling: 'lifo', timeout: IDLE_SOCKET_MS } as const;

function openRoute(target: URL, proxy: URL | undefined, ca: string | Buffer | undefined): Route {
  if (target.protocol === 'http:') {
    const makeAgent = (keepAlive: boolean) => new http.Agent({ ...SETTINGS, keepAlive });
    return { agent: makeAgent(true), makeAgent, request: http.request };
  }
  const { Agent: TlsAgent, request } = https();
  const { connect, createSecureContext, rootCertificates } = tls();
  // Made once: with a list of certificates Node makes a context for each connection, and parses all of them.
  const trust =
    ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) };
  const makeAgent = (keepAlive: boolean): Agent => {
    const agent = new TlsAgent({ ...SETTINGS, ...trust, keepAlive });
    if (proxy === undefined) return agent;
    const connectRequest = proxy.protocol === 'https:' ? request : http.request;
    return Object.assign(agent, {
      createConnection(options: object, done: (error: Error | null, socket?: Socket) => void): undefined {
        openTunnel(connectRequest, proxy, target, (error, socket) => {
          if (socket === undefined) done(error);
          else done(null, connect({ ...options, socket, servername: target.hostname }));
        });
      },
    });
  };
  return { agent: makeAgent(true), makeAgent, request };
}

function openTunnel(
  connectRequest: typeof http.request,
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
    done(new ProxyRefusal(response.statusCode ?? 0, proxy, target));
  });
  // A refusal with a body arrives as an ordinary response.
  connect.once('response', (response) => {
    response.destroy();
    done(new ProxyRefusal(response.statusCode ?? 0, proxy, target));
  });
  connect.once('timeout', () =>
    connect.destroy(Object.assign(new Error('The proxy did not answer.'), { code: 'ETIMEDOUT' })),
  );
  connect.once('error', (error) => done(onProxy(error, proxy, target)));
  connect.end();
}

function proxyAuthorization(proxy: URL): { 'proxy-authorization'?: string } {
  const credentials = basicCredentials(proxy);
  return credentials === undefined ? {} : { 'proxy-authorization': credentials };
}

/** For an `authorization` header: the name and the password in an address; undefined: it has none. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  const userInfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(userInfo).toString('base64')}`;
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Whether a host is reached without the proxy. `noProxy` is the usual list: hosts, `.domains`, `host:port`
 * and `*`, separated by commas or spaces; a name also covers its subdomains. Loopback never uses a proxy,
 * which could not reach it.
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

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  const [, name = rule, rulePort] = /^(.+?)(?::(\d+))?$/.exec(rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const bare = name.replace(/^\*?\./, '');
  return host === bare || host.endsWith(`.${bare}`);
}
