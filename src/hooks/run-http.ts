/** HTTP hooks: the event is posted as JSON, the body of a 2xx response is the answer. */

import type { HookPolicy, HttpHookConfig } from '../protocol/tools/hook-config.ts';
import { http, https } from '../util/node.ts';
import { shownAddress } from '../util/text/secret-text.ts';
import { excerpt, readText } from './read-text.ts';
import type { HookKindRunner, HookRun } from './registered-hook.ts';

/** Maximum bytes of a response. */
const MAX_BODY_BYTES = 512 * 1024;

/** Why this URL is not allowed; undefined if it is. */
function refusedUrl(url: string, { allowedHttpUrls }: HookPolicy): string | undefined {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return `${excerpt(shownAddress(url))} is no http or https address.`;
  if (allowedHttpUrls === undefined || allowedHttpUrls.some((pattern) => covers(pattern, url)))
    return undefined;
  return `${excerpt(shownAddress(url))} is not among allowedHttpHookUrls.`;
}

/** `variables`: values that headers may contain, by name. */
export function runHttp(
  config: HttpHookConfig,
  policy: HookPolicy,
  variables: Readonly<Record<string, string | undefined>>,
): HookKindRunner {
  const { url, allowedEnvVars = [] } = config;
  const permitted = policy.httpAllowedEnvVars;
  const names = new Set(allowedEnvVars.filter((name) => permitted === undefined || permitted.includes(name)));
  const headers = Object.entries(config.headers ?? {}).map(
    ([name, value]) => [name, interpolated(value, names, variables)] as const,
  );
  return async (input, { signal, said }) => {
    const refused = refusedUrl(url, policy);
    if (refused !== undefined) return { kind: 'failed', problem: refused };
    const response = await post(url, JSON.stringify(input), Object.fromEntries(headers), signal);
    said.stdout = response.body;
    return judged(response, () => readText(response.body, input.hook_event_name, response.complete));
  };
}

interface Response {
  readonly status: number;
  readonly body: string;
  readonly complete: boolean;
}

/**
 * A gate that answers with an error has not allowed anything: other statuses than 2xx fail, redirects
 * included.
 */
function judged({ status, body }: Response, read: () => HookRun): HookRun {
  if (status >= 200 && status < 300) return read();
  const what = status >= 300 && status < 400 ? 'with a redirect, which is not followed' : 'with an error';
  const text = body.trim() === '' ? '' : `: ${excerpt(body.trim())}`;
  return { kind: 'failed', problem: `it answered ${what} (status ${status})${text}` };
}

/** Rejects when the response is incomplete, and on abort. */
function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? https().request : http.request;
    const request = send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
      // A connection of its own, so that none outlives the session.
      agent: false,
    });
    request.on('error', (error) => reject(new Error(`it could not be reached: ${error.message}`)));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const end = (complete: boolean) => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, body: text, complete });
      };
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MAX_BODY_BYTES) return void chunks.push(chunk);
        end(false);
        request.destroy();
      });
      response.on('end', () => end(true));
      response.on('error', (error) => reject(new Error(`its response broke off: ${error.message}`)));
    });
    request.end(body);
  });
}

/** Replaces `$NAME` and `${NAME}`; variables that are not allowed become ''. Line breaks are removed. */
function interpolated(
  value: string,
  names: ReadonlySet<string>,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  return value
    .replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return names.has(name) ? (variables[name] ?? '') : '';
    })
    .replace(/[\r\n\0]/g, '');
}

/** `*` matches any text; inside the host name it ends there, so that a path cannot imitate a host. */
function covers(pattern: string, url: string): boolean {
  const { href } = new URL(url);
  const pathAt = pattern.indexOf('/', pattern.indexOf('://') + 3);
  const [host, path] = pathAt < 0 ? [pattern, ''] : [pattern.slice(0, pathAt), pattern.slice(pathAt)];
  const source = (text: string, any: string) =>
    text
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join(any);
  const rest = path === '' ? '(?:/.*)?' : source(path, '.*');
  return new RegExp(`^${source(host, '[^/?#@]*')}${rest}$`, 's').test(href);
}
