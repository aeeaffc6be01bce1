/** Where the model is, whether it answers, and what we would show it to be let in. */
import { connect } from 'node:net';
import type { Env } from '../world.ts';
import type { CheckResult } from './check.ts';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const PROBE_LIMIT_MS = 5_000;

/** Says where the credentials are from; never what they are. */
export function checkCredentials(source: string, baseUrl: string): CheckResult {
  if (source !== 'none') return { name: 'credentials', state: 'ok', detail: `from ${source}` };
  if (baseUrl !== DEFAULT_BASE_URL) {
    return {
      name: 'credentials',
      state: 'warning',
      detail: `none; fine if the server at ${addressOf(baseUrl)} asks for none`,
    };
  }
  return {
    name: 'credentials',
    state: 'problem',
    detail:
      'none: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, an apiKeyHelper in the settings, or ANTHROPIC_BASE_URL for a local server',
  };
}

/** Without what may be a secret in it. */
function addressOf(text: string): string {
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}`.replace(/\/$/, '');
}

/** Any answer of the server counts; a proxy is only looked for, not asked. */
export async function checkBaseUrl(
  text: string,
  env: Env,
  limitMs: number = PROBE_LIMIT_MS,
): Promise<CheckResult> {
  const url = new URL(text);
  const shown = addressOf(text);
  const proxy = proxyFor(url, env);
  const startedMs = performance.now();
  try {
    const said = proxy === undefined ? await head(url, limitMs) : await knock(proxy, limitMs);
    const took = `${Math.round(performance.now() - startedMs)} ms`;
    return { name: 'API', state: 'ok', detail: `${shown} ${said} in ${took}` };
  } catch (error) {
    const through = proxy === undefined ? '' : ` through the proxy ${proxy.host}`;
    return {
      name: 'API',
      state: 'problem',
      detail: `${shown} cannot be reached${through}: ${reasonOf(error)}`,
    };
  }
}

function head(url: URL, limitMs: number): Promise<string> {
  const request = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http').request;
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'HEAD', signal: AbortSignal.timeout(limitMs) }, (answer) => {
      answer.resume();
      resolve(`answers (${answer.statusCode ?? 'no status'})`);
      call.destroy();
    });
    call.on('error', reject);
    call.end();
  });
}

function knock(proxy: URL, limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const port = Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80);
    const socket = connect({ host: proxy.hostname, port });
    socket.setTimeout(limitMs, () => socket.destroy(new Error(`no answer within ${limitMs} ms`)));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve(`is behind the proxy ${proxy.host}, which answers`);
    });
  });
}

function proxyFor(url: URL, env: Env): URL | undefined {
  const names = url.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const text = names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
  const spared = (env['NO_PROXY'] ?? env['no_proxy'] ?? '')
    .split(',')
    .map((name) => name.trim().replace(/^\./, ''));
  const isSpared = spared.some(
    (name) => name === '*' || (name !== '' && `.${url.hostname}`.endsWith(`.${name}`)),
  );
  return text === undefined || isSpared || !URL.canParse(text) ? undefined : new URL(text);
}

function reasonOf(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || code === 'ABORT_ERR') return 'no answer in time';
  return code ?? message;
}
