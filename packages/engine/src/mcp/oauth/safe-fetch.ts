/** `fetch` for requests to authorization servers: TLS only, with a short time limit. */
import type { Fetch } from '@turnwright/base/http/create-fetch.ts';

const TIMEOUT_MS = 30_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export function safeFetch(send: Fetch, signal?: AbortSignal): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input);
    if (!isSafe(url))
      throw new Error(`${url.origin} is not reached over https, so nothing secret is sent there.`);
    const signals = [init.signal, signal, AbortSignal.timeout(TIMEOUT_MS)].filter((each) => each != null);
    return send(url, { ...init, signal: AbortSignal.any(signals) });
  };
}

/** https, or this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}
