/** Transports of remote servers, by the protocol library. */
import { isTooDeepValue, TOO_DEEP } from '@turnwright/base/bounded-json.ts';
import type { Fetch } from '@turnwright/base/http/create-fetch.ts';
import { withBearer } from '../oauth/bearer.ts';
import { logsInByItself } from '../servers/parse-server.ts';
import type { McpRemoteServerConfig } from '../servers/server-config.ts';
import { createHttpFetch, type RemotePorts } from './http-fetch.ts';
import type { MessageTransport } from './json-line.ts';
import type { JsonRpcMessage } from './json-rpc.ts';

/** JSON-RPC's code for a message that cannot be read. */
const PARSE_ERROR = -32_700;

export async function createRemoteTransport(
  config: McpRemoteServerConfig,
  { connect, credentials, clock }: RemotePorts,
): Promise<MessageTransport> {
  const url = new URL(config.url);
  const http = createHttpFetch(connect);
  const fetch = await withLogin(config, { credentials, clock, fetch: http.fetch });
  const options = { fetch, requestInit: { headers: { ...config.headers } } };
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  // The library's types are not written for exact optional properties.
  const transport = (config.type === 'http'
    ? new StreamableHTTPClientTransport(url, options)
    : new SSEClientTransport(url, options)) as unknown as MessageTransport;
  boundMessages(transport);
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    http.close();
  };
  return transport;
}

/** The library reads messages itself: one that is nested too deeply is an error for who waits for it. */
function boundMessages(transport: MessageTransport): void {
  let receive: MessageTransport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => receive,
    set(next: MessageTransport['onmessage']) {
      receive = (message) => next?.(isTooDeepValue(message) ? refusal(message) : message);
    },
  });
}

function refusal({ id = 0 }: JsonRpcMessage): JsonRpcMessage {
  const error = { code: PARSE_ERROR, message: `The server's message is ${TOO_DEEP}` };
  return { jsonrpc: '2.0', id, error };
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
