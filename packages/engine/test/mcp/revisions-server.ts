/** Servers of `servers/revisions.mjs` over HTTP, in this process. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer } from '@turnwright/test/mcp/servers/revisions.mjs';
import { onTestFinished } from 'vitest';

interface Seen {
  readonly id?: unknown;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly params: Record<string, unknown>;
}

export interface RevisionsServer {
  /** Answers a request that came to another server. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  readonly url: string;
  readonly seen: readonly Seen[];
  methods(): readonly string[];
  /** Answers instead of the server, while it is set. */
  intercept: ((message: Seen, response: ServerResponse) => boolean) | undefined;
  /** Responses of `subscriptions/listen` that are open. */
  readonly listening: Set<ServerResponse>;
}

const META = 'io.modelcontextprotocol/';

export async function revisionsServer(how: string): Promise<RevisionsServer> {
  const seen: Seen[] = [];
  const sessions = new Map<string, object>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const { method, params = {}, id } = message;
    const { headers } = request;
    const now = { id, method, headers, params };
    seen.push(now);
    if (self.intercept?.(now, response) === true) return;
    const say = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const isNew = params._meta?.[`${META}protocolVersion`] !== undefined;
    if (isNew && headers['mcp-protocol-version'] !== params._meta[`${META}protocolVersion`])
      return say(400, { jsonrpc: '2.0', id, error: { code: -32_020, message: 'Header mismatch' } });
    if (isNew && headers['mcp-method'] !== method)
      return say(400, { jsonrpc: '2.0', id, error: { code: -32_020, message: 'Header mismatch' } });
    if (isNew && method === 'subscriptions/listen') {
      self.listening.add(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const told = { _meta: { [`${META}subscriptionId`]: id }, notifications: params.notifications };
      event(response, { method: 'notifications/subscriptions/acknowledged', params: told });
      response.on('close', () => self.listening.delete(response));
      return;
    }
    const session = String(headers['mcp-session-id'] ?? '');
    const state = isNew ? {} : method === 'initialize' ? {} : sessions.get(session);
    if (state === undefined) return void response.writeHead(404).end('Session not found');
    const reply = answer(how, message, state);
    if (reply === undefined) return void response.writeHead(202).end();
    if (method === 'initialize' && reply.error === undefined) {
      sessions.set(`s${sessions.size}`, state);
      response.setHeader('mcp-session-id', `s${sessions.size - 1}`);
    }
    // A server of before knows nothing of statuses for errors of the protocol.
    const status = reply.error === undefined || !isNew ? 200 : reply.error.code === -32_601 ? 404 : 400;
    say(status, { jsonrpc: '2.0', id, ...reply });
  };
  const http = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const self: RevisionsServer = {
    handle,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    seen,
    methods: () => seen.map(({ method }) => method),
    intercept: undefined,
    listening: new Set(),
  };
  return self;
}

export function event(response: ServerResponse, message: object): void {
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}
