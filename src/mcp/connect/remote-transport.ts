/** Transports of remote servers. A response that breaks off must not leave its call pending. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isTooDeepValue, parseJson, TOO_DEEP } from '../../util/bounded-json.ts';
import { isRecord } from '../../util/is-record.ts';
import { withBearer } from '../oauth/bearer.ts';
import { logsInByItself } from '../servers/parse-server.ts';
import type { McpRemoteServerConfig } from '../servers/server-config.ts';
import { ANSWER_LOST } from './failure.ts';
import { createHttpFetch, type Fetch } from './http-fetch.ts';
import type { RemotePorts } from './remote-ports.ts';

/** JSON-RPC's code for a connection that ended; the library uses the same. */
const CONNECTION_CLOSED = -32_000;
/** JSON-RPC's code for a message that cannot be read. */
const PARSE_ERROR = -32_700;
/** ms that received data may still take to pass the parser. */
const PARSE_MS = 50;

export async function createRemoteTransport(
  config: McpRemoteServerConfig,
  { connect, credentials, clock }: RemotePorts,
): Promise<Transport> {
  const url = new URL(config.url);
  const answered = new Set<unknown>();
  const http = createHttpFetch(connect, (requestBody, { resumable }) => {
    const id = requestIdOf(requestBody);
    if (id === undefined || resumable) return;
    setTimeout(() => {
      if (answered.delete(id)) return;
      const message = 'The connection broke off before the answer was complete';
      transport.onmessage?.({
        jsonrpc: '2.0',
        id,
        error: { code: CONNECTION_CLOSED, message, data: ANSWER_LOST },
      } as JSONRPCMessage);
    }, PARSE_MS).unref();
  });
  const fetch = await withLogin(config, { credentials, clock, fetch: http.fetch });
  const options = { fetch, requestInit: { headers: { ...config.headers } } };
  // The library's types are not written for exact optional properties.
  const transport = (config.type === 'http'
    ? await streamableHttp(url, options)
    : await sse(url, options)) as unknown as Transport;
  boundMessages(transport);
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    http.close();
  };
  transport.onmessage = (message) => {
    if ('id' in message && !('method' in message)) answered.add(message.id);
    if (answered.size > 1_000) answered.clear();
  };
  return transport;
}

/** The library reads messages itself: one that is nested too deeply is an error for who waits for it. */
function boundMessages(transport: Transport): void {
  let receive: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set(next: Transport['onmessage']) {
      receive = (message, ...more) => next?.(isTooDeepValue(message) ? refusal(message) : message, ...more);
    },
  });
}

function refusal(message: JSONRPCMessage): JSONRPCMessage {
  const error = { code: PARSE_ERROR, message: `The server's message is ${TOO_DEEP}` };
  return { jsonrpc: '2.0', id: 'id' in message ? message.id : 0, error } as JSONRPCMessage;
}

/**
 * A configured `authorization` header takes precedence over a login by the configuration, and that over the
 * login of a person.
 */
async function withLogin(
  config: McpRemoteServerConfig,
  { credentials, clock, fetch }: Pick<RemotePorts, 'clock' | 'credentials'> & { readonly fetch: Fetch },
): Promise<Fetch> {
  if (new Headers({ ...config.headers }).has('authorization')) return fetch;
  if (logsInByItself(config)) {
    const { withOwnLogin } = await import('../oauth/own-login.ts');
    return withOwnLogin(config, { clock, fetch });
  }
  return credentials === undefined
    ? fetch
    : withBearer({ serverUrl: config.url, store: credentials, clock, fetch });
}

interface RemoteOptions {
  readonly fetch: Fetch;
  readonly requestInit: { readonly headers: Record<string, string> };
}

async function streamableHttp(url: URL, options: RemoteOptions) {
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  return new StreamableHTTPClientTransport(url, options);
}

async function sse(url: URL, options: RemoteOptions) {
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  return new SSEClientTransport(url, options);
}

function requestIdOf(body: string | undefined): string | number | undefined {
  if (body === undefined) return undefined;
  try {
    const message: unknown = parseJson(body);
    if (!isRecord(message) || typeof message['method'] !== 'string') return undefined;
    const { id } = message;
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
}
