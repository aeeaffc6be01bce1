/** An MCP server over streamable HTTP (or SSE) in this process, that can be restarted, broken and asked what it saw. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export interface HttpServer {
  readonly url: string;
  /** Calls that were carried out, by tool. */
  readonly calls: readonly string[];
  readonly requests: readonly { readonly method: string; readonly headers: IncomingMessage['headers'] }[];
  readonly cancelled: () => number;
  /** Answers instead of the server, while it is set. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>) | undefined;
  /** Forgets all sessions, as a restart would. */
  forget(): void;
  /** Breaks every connection that is open. */
  breakConnections(): void;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function httpServer(options: { readonly json?: boolean } = {}): Promise<HttpServer> {
  const calls: string[] = [];
  const requests: { method: string; headers: IncomingMessage['headers'] }[] = [];
  let cancelled = 0;
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const events = new Map<string, SSEServerTransport>();

  const open = async (transport: Transport) => {
    const server = new McpServer({ name: 'remote', version: '2.0.0' });
    const shape = { text: z.string().default('') };
    server.registerTool('echo', { inputSchema: shape, annotations: { readOnlyHint: true } }, ({ text }) => {
      calls.push('echo');
      return { content: [{ type: 'text', text }] };
    });
    server.registerTool('hang', { inputSchema: shape }, (_input, { signal }) => {
      calls.push('hang');
      return new Promise(() => {
        signal.addEventListener('abort', () => {
          cancelled += 1;
        });
      });
    });
    await server.connect(transport);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push({ method: request.method ?? '', headers: request.headers });
    if ((await self.intercept?.(request, response)) === true) return;
    const url = new URL(request.url ?? '/', 'http://here');
    if (url.pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      events.set(transport.sessionId, transport);
      await open(transport);
      return;
    }
    if (url.pathname === '/messages') {
      const transport = events.get(url.searchParams.get('sessionId') ?? '');
      if (transport === undefined) response.writeHead(404).end('no session');
      else await transport.handlePostMessage(request, response);
      return;
    }
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const known = sessions.get(id);
      if (known === undefined) response.writeHead(404).end('session not found');
      else await known.handleRequest(request, response);
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: options.json === true,
      onsessioninitialized: (session) => {
        sessions.set(session, transport);
      },
    });
    await open(transport as unknown as Transport);
    await transport.handleRequest(request, response);
  };

  const http = createServer((request, response) => void handle(request, response));
  const listen = (port: number) => new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = http.address() as AddressInfo;
  const self: HttpServer = {
    url: `http://127.0.0.1:${port}`,
    calls,
    requests,
    cancelled: () => cancelled,
    intercept: undefined,
    forget() {
      sessions.clear();
      events.clear();
    },
    breakConnections: () => http.closeAllConnections(),
    async stop() {
      sessions.clear();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
    start: () => listen(port),
  };
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return self;
}
