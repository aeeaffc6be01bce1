/** A web server on loopback, with what the tool needs to reach it. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { openConnections } from '@turnwright/base/http/connections.ts';
import type { WebPort } from '../../src/web/web-port.ts';

export type Pages = Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => unknown>>;

export interface PageServer {
  readonly origin: string;
  readonly host: string;
  /** Paths, as they were asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function servePages(pages: Pages): Promise<PageServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const listener: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    const page = pages[request.url ?? ''];
    if (page === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
    else page(response, request);
  };
  const server = createServer(listener);
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    origin: `http://${host}`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export const html =
  (body: string, type = 'text/html; charset=utf-8') =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': type }).end(body);

/** Reaches the given hosts although they are on loopback. */
export function portFor(hosts: readonly string[], more: Partial<WebPort> = {}): WebPort {
  return {
    connect: (baseUrl) => openConnections({ baseUrl }),
    allowsPrivate: ({ host }) => hosts.includes(host),
    userAgent: 'test',
    ...more,
  };
}
