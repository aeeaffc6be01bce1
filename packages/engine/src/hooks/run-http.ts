/** HTTP hooks: the event is posted as JSON, the body of a 2xx response is the answer. */

import { basicCredentials, type ConnectPort } from '@turnwright/base/http/connections.ts';
import { readWithin, sendRequest } from '@turnwright/base/http/send-request.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { shownAddress } from '@turnwright/base/text/secret-text.ts';
import type { HookPolicy, HttpHookConfig } from '../protocol/tools/hook-config.ts';
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

interface HttpHookPorts {
  readonly policy: HookPolicy;
  readonly connect: ConnectPort;
  /** Values that headers may contain, by name. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export function runHttp(
  config: HttpHookConfig,
  { policy, connect, variables }: HttpHookPorts,
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
    const response = await post(
      new URL(url),
      JSON.stringify(input),
      Object.fromEntries(headers),
      connect,
      signal,
    );
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
async function post(
  url: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
  connect: ConnectPort,
  signal: AbortSignal,
): Promise<Response> {
  const connections = connect(url);
  const authorization = basicCredentials(url);
  try {
    const request = connections.request({
      path: url.pathname + url.search,
      headers: {
        'content-type': 'application/json',
        ...(authorization !== undefined && { authorization }),
        ...headers,
        'content-length': Buffer.byteLength(body),
      },
      // A connection of its own, so that none outlives the session.
      keepAlive: false,
    });
    const response = await sendRequest(request, body, signal).catch((error: unknown) => {
      throw new Error(`it could not be reached: ${errorText(error)}`);
    });
    const { bytes, isWhole } = await readWithin(response, MAX_BODY_BYTES).catch((error: unknown) => {
      throw new Error(`its response broke off: ${errorText(error)}`);
    });
    return { status: response.statusCode ?? 0, body: bytes.toString('utf8'), complete: isWhole };
  } finally {
    connections.close();
  }
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
