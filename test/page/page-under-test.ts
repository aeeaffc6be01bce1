/** A web agent on a real server, read by the client that pages load. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PageRequest, toNodeListener, type WebAgentOptions, webAgent } from '@turnwright/web';
import { type RunView, runAgent } from '@turnwright/web/client';
import type { AgentMessages } from '../../packages/web/src/live-run.ts';

export interface PageServer {
  readonly url: string;
  readonly server: Server;
  /** Connections that are open break, as when a network does. */
  cut(): void;
  close(): Promise<void>;
}

export async function serve(handler: (request: Request) => Promise<Response>): Promise<PageServer> {
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`,
    server,
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export const serveAgent = (
  start: (asked: PageRequest) => AgentMessages | Promise<AgentMessages>,
  options?: WebAgentOptions,
): Promise<PageServer> => serve(webAgent(start, options));

/** A page that reads a run, and every view that it showed. */
export function page(url: string, body: Parameters<typeof runAgent>[1]) {
  const views: RunView[] = [];
  const waiting = new Set<() => void>();
  const run = runAgent(url, body, (view) => {
    views.push(view);
    for (const look of [...waiting]) look();
  });
  /** The first view, from now on, of which `is` holds. */
  const until = (is: (view: RunView) => boolean): Promise<RunView> =>
    new Promise((resolve) => {
      const look = () => {
        const view = views.at(-1);
        if (view === undefined || !is(view)) return;
        waiting.delete(look);
        resolve(view);
      };
      waiting.add(look);
      look();
    });
  return { ...run, views, until };
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
