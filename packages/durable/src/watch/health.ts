/** A worker's state over HTTP: `/healthz` for supervisors and load balancers, `/metrics` for Prometheus. */
import type { AddressInfo } from 'node:net';
import { isOfThisMachine, refusedHost } from '@turnwright/base/host-header.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import { prometheusText, type WorkerFigure } from './figure.ts';

/** What a worker says of itself. */
export interface WorkerHealth {
  /** `why`: what is wrong, or that the worker drains. */
  state(): { readonly ok: boolean; readonly why?: string };
  figures(): readonly WorkerFigure[] | Promise<readonly WorkerFigure[]>;
}

interface HealthOptions {
  readonly health: WorkerHealth;
  /** 0: any free port. */
  readonly port: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
}

export interface HealthServer {
  /** `http://127.0.0.1:9464` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /healthz` (200 with `ok`, else 503 with the reason) and `GET /metrics` (Prometheus text format
 * 0.0.4). Rejects with `invalid_option` when the address cannot be listened on.
 *
 * @example
 * ```ts
 * import { serveHealth, worker } from 'turnwright/durable';
 *
 * const { health } = await worker({ db: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * console.log((await serveHealth({ health, port: 9464 })).url);
 * ```
 */
export async function serveHealth({
  health,
  port,
  host = '127.0.0.1',
}: HealthOptions): Promise<HealthServer> {
  const { createServer } = await import('node:http');
  const server = createServer(({ method, url, headers, socket }, response) => {
    const answer = (status: number, type: string, body: string) => {
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
      response.end(method === 'HEAD' ? undefined : body);
    };
    const path = url?.split('?')[0];
    const refused = refusedHost({ host: headers.host, isLocal: isOfThisMachine(socket) });
    if (refused !== undefined) answer(403, 'text/plain', `${refused}\n`);
    else if (method !== 'GET' && method !== 'HEAD') answer(405, 'text/plain', 'Only GET is answered here.\n');
    else if (path === '/metrics')
      Promise.resolve(health.figures()).then(
        (figures) => answer(200, 'text/plain; version=0.0.4; charset=utf-8', prometheusText(figures)),
        (error: unknown) => answer(500, 'text/plain; charset=utf-8', `${errorText(error)}\n`),
      );
    else if (path === '/healthz') {
      const { ok, why } = health.state();
      answer(ok ? 200 : 503, 'text/plain; charset=utf-8', `${why ?? (ok ? 'ok' : 'not ok')}\n`);
    } else answer(404, 'text/plain', 'Here are /healthz and /metrics.\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The health endpoint cannot listen on ${host}:${port}: ${errorText(cause)}. Give another port with --health, or none with --no-health.`;
      reject(new TurnwrightError('invalid_option', message, { cause }));
    });
    server.listen(port, host, resolve);
  });
  // It must not keep a worker alive that has ended.
  server.unref();
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
