/** The redirect target of a login: an address of this machine that accepts one answer (T125). */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http } from '@turnwright/base/node.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';

interface CallbackAnswer {
  readonly code: string;
  /** Issuer of the answer (RFC 9207), if sent. */
  readonly issuer: string | undefined;
}

export interface Callback {
  readonly url: string;
  /**
   * Resolves with the answer that has this state; others are ignored. Rejects with the error of the answer.
   */
  answer(state: string, signal: AbortSignal): Promise<CallbackAnswer>;
  close(): void;
}

const PATH = '/callback';
const MAX_ERROR_CHARS = 300;

/** `ports`: tried in order; 0 is any free one. Rejects when none is free. */
export async function listenForCallback(ports: readonly number[]): Promise<Callback> {
  let take: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    page(response, 503, 'No login is in progress.');
  const server = http.createServer((request, response) => take(request, response));
  const port = await firstFree(ports, (each) => listen(server, each));
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    answer: (state, signal) =>
      new Promise((resolve, reject) => {
        const onAbort = () => reject(signal.reason);
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        take = (request, response) => {
          const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
          // DNS rebinding: a page whose host name resolves to this machine sends that name.
          if (request.headers.host !== `127.0.0.1:${port}` || pathname !== PATH || request.method !== 'GET')
            return page(response, 404, 'There is nothing here.');
          if (searchParams.get('state') !== state)
            return page(response, 400, 'This is not the answer to the login that is under way.');
          const [code, error] = [searchParams.get('code'), searchParams.get('error')];
          signal.removeEventListener('abort', onAbort);
          if (code !== null) {
            page(response, 200, 'You are logged in. You can close this page.');
            return resolve({ code, issuer: searchParams.get('iss') ?? undefined });
          }
          page(response, 200, 'You are not logged in. You can close this page.');
          const why = [error ?? 'no code', searchParams.get('error_description')].filter(Boolean).join(': ');
          reject(new Error(`The authorization server refused: ${cleanText(why, MAX_ERROR_CHARS)}.`));
        };
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function firstFree(
  ports: readonly number[],
  attempt: (port: number) => Promise<number>,
): Promise<number> {
  const [port = 0, ...others] = ports;
  try {
    return await attempt(port);
  } catch (error) {
    if (others.length === 0)
      throw new Error(`Port ${port} of this machine, where the login would come back to, is not free.`, {
        cause: error,
      });
    return firstFree(others, attempt);
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function page(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`${sentence}\n`);
}
