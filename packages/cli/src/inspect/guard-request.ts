/** Who may ask the inspector: pages of its own address that know its token, and no one else. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** 256 bits. */
export const createToken = (): string => randomBytes(32).toString('base64url');

interface Refusal {
  readonly status: 403 | 404 | 405;
  readonly why: string;
}

interface Guarded {
  readonly port: number;
  readonly token: string;
}

const refused = (status: Refusal['status'], why: string): Refusal => ({ status, why });

/** Why a request is not answered; undefined: it may be. Only `/` needs no token: it holds no data. */
export function refuseRequest(
  { method, headers, rawHeaders, url = '' }: IncomingMessage,
  { port, token }: Guarded,
): Refusal | undefined {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  const given = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (given.length !== 1 || !hosts.includes(headers.host ?? ''))
    return refused(403, 'This server answers for its own address only.');
  if (method !== 'GET' && method !== 'HEAD') return refused(405, 'This server only shows.');
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`))
    return refused(403, 'Pages of other sites may not use this address.');
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refused(403, 'Other sites may not lead here.');
  if (!url.startsWith('/') || /[\\\0]|%2e|%2f|%5c|%00|\.\./i.test(url.split('?')[0] ?? ''))
    return refused(404, 'There is nothing here.');
  if (!url.startsWith('/api/')) return undefined;
  const sent = /^Bearer ([\w-]+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  return isSame(sent, token) ? undefined : refused(403, 'Without the token of this start, nothing is shown.');
}

/** In a time that does not depend on where they differ. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** Of every answer, refusals too. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
