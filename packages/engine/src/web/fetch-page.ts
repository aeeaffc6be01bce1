/** Fetches one page: public addresses only, redirects on the same host only, everything bounded. */
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { unlessAborted } from '@turnwright/base/async/promises.ts';
import { sendRequest } from '@turnwright/base/http/send-request.ts';
import { http } from '@turnwright/base/node.ts';
import type { Page, PageOutcome, Refused } from './page.ts';
import { contentKind, decodePage, looksLikeHtml, mediaType } from './page-text.ts';
import { reachHost } from './reach-host.ts';
import { ACCEPTED_ENCODINGS, readBody } from './read-body.ts';
import type { WebPort } from './web-port.ts';

const TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const ACCEPT = 'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1';

/** Rejects on abort only; failures are outcomes. */
export async function fetchPage(start: URL, port: WebPort, signal: AbortSignal): Promise<PageOutcome> {
  const timeoutMs = port.timeoutMs ?? TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ends = AbortSignal.any([signal, timeout]);
  let url = start;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const next = await visit(url, port, ends);
      if (!(next instanceof URL)) return next;
      url = next;
    }
    return refused(url, `It was redirected more than ${MAX_REDIRECTS} times.`);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return refused(url, `${url.host} did not answer in full within ${timeoutMs} ms.`);
    return refused(url, `${url.host} could not be read: ${describeCause(error)}`);
  }
}

/** The URL that is requested: https except for private hosts, and without the fragment. */
export function pageAddress(given: URL, port: Pick<WebPort, 'allowsPrivate'>): URL {
  const url = new URL(given);
  url.hash = '';
  if (url.protocol === 'http:' && !port.allowsPrivate(url)) url.protocol = 'https:';
  return url;
}

/** The outcome, or the next URL. */
async function visit(url: URL, port: WebPort, signal: AbortSignal): Promise<PageOutcome | URL> {
  const connections = port.connect(url);
  try {
    const reach = await unlessAborted(reachHost(url, connections, port), signal);
    if (!reach.ok) return refused(url, reach.why);
    const response = await ask(url, connections, port.userAgent, reach.lookup, signal);
    // The reader receives the error; without one it is ignored.
    response.on('error', () => {});
    try {
      return await read(url, response, port, signal);
    } finally {
      response.destroy();
    }
  } finally {
    connections.close();
  }
}

function ask(
  url: URL,
  connections: ReturnType<WebPort['connect']>,
  userAgent: string,
  lookup: LookupFunction | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = connections.request({
    method: 'GET',
    path: url.pathname + url.search,
    headers: { accept: ACCEPT, 'accept-encoding': ACCEPTED_ENCODINGS, 'user-agent': userAgent },
    keepAlive: false,
    ...(lookup !== undefined && { lookup }),
  });
  return sendRequest(request, undefined, signal);
}

async function read(
  url: URL,
  response: IncomingMessage,
  port: WebPort,
  signal: AbortSignal,
): Promise<PageOutcome | URL> {
  const code = response.statusCode ?? 0;
  const codeText = response.statusMessage || (http.STATUS_CODES[code] ?? '');
  const { location, 'content-type': contentType, 'content-length': length } = response.headers;
  if (code >= 300 && code < 400 && location !== undefined) {
    return redirected(url, location, { code, codeText }, port);
  }
  const kind = contentKind(contentType);
  const tooLong = () => refused(url, `It is longer than ${MAX_BODY_BYTES / 1024 / 1024} MB.`, code, codeText);
  if (kind === 'other') return refused(url, unreadable(contentType, length), code, codeText);
  if (Number(length) > MAX_BODY_BYTES) return tooLong();

  const body = await unlessAborted(readBody(response, MAX_BODY_BYTES), signal);
  if (body === undefined) return tooLong();
  const raw = decodePage(body, contentType);
  if (raw === undefined) return refused(url, unreadable(undefined, String(body.length)), code, codeText);
  const isHtml = kind === 'html' || (kind === 'unknown' && looksLikeHtml(raw));
  const text = isHtml ? (await import('./html-markdown.ts')).htmlToMarkdown(raw, url) : raw;
  return { kind: 'page', url: url.href, code, codeText, bytes: body.length, text } satisfies Page;
}

function redirected(
  url: URL,
  location: string,
  status: { readonly code: number; readonly codeText: string },
  port: WebPort,
): PageOutcome | URL {
  const to = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  if (to === undefined || !/^https?:$/.test(to.protocol) || to.username !== '' || to.password !== '')
    return refused(
      url,
      'It redirects to something that is no address of a page.',
      status.code,
      status.codeText,
    );
  const next = pageAddress(to, port);
  if (next.host === url.host) return next;
  return { kind: 'moved', url: url.href, ...status, to: to.href };
}

function unreadable(contentType: string | undefined, length: string | undefined): string {
  const what = mediaType(contentType) || 'binary data';
  const size = length === undefined ? '' : `, ${length} bytes`;
  return `It is no text (${what}${size}), and WebFetch reads text alone. Where commands are allowed, it can be downloaded with one and read as a file.`;
}

function refused(url: URL, why: string, code?: number, codeText?: string): Refused {
  return {
    kind: 'refused',
    url: url.href,
    why,
    ...(code !== undefined && { code, codeText: codeText ?? '' }),
  };
}

function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Several addresses were tried: each has its own error, and the aggregate has no message.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first instanceof Error ? first.message : error.message;
}
