/** The model of a run, the source of its credentials, and whether the endpoint accepts them. */
import {
  DEFAULT_PROVIDER,
  type EndpointAnswer,
  type ModelAccess,
  modelAccess,
  probeModel,
} from '@turnwright/engine';
import type { World } from '../world.ts';
import type { CheckResult } from './check-result.ts';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
/** Time limit of both requests, and of an apiKeyHelper. */
const PROBE_LIMIT_MS = 10_000;

/** As a run of the command line reads the settings. Rejects with `invalid_settings`. */
export async function checkModel(
  { cwd, env }: Pick<World, 'cwd' | 'env'>,
  limitMs: number = PROBE_LIMIT_MS,
): Promise<readonly CheckResult[]> {
  const place = { cwd, env, projectTrusted: false, trustRecorded: true };
  const access = await modelAccess(place);
  const { apiKeyEnv, apiKeySource, baseUrl, cloud, model, unreachable } = access;
  if (cloud !== undefined) return checkCloud(cloud, model);
  const credentials = checkCredentials(apiKeySource, baseUrl, apiKeyEnv);
  if (credentials.state === 'problem') return [credentials];
  if (unreachable !== undefined) return [credentials, { name: 'API', state: 'problem', detail: unreachable }];
  const startedMs = performance.now();
  const answer = await probeModel({ ...place, signal: AbortSignal.timeout(limitMs) });
  const took = Math.round(performance.now() - startedMs);
  const needsNone = apiKeySource === 'none' && answer.kind === 'accepted';
  return [
    needsNone ? { name: 'credentials', state: 'ok', detail: 'none; the server asks for none' } : credentials,
    checkAnswer(answer, access, took),
    checkChosen(answer, model),
  ];
}

/** A cloud has no request that costs nothing. */
function checkCloud(cloud: NonNullable<ModelAccess['cloud']>, model: string): readonly CheckResult[] {
  return [
    { name: 'credentials', state: 'ok', detail: `those of ${cloud}; they are read with the first request` },
    { name: 'API', state: 'ok', detail: `${cloud} lists no models; a run shows whether it lets us in` },
    { name: 'model', state: 'ok', detail: `${model}; --model or ANTHROPIC_MODEL chooses another one` },
  ];
}

function checkChosen(answer: EndpointAnswer, model: string): CheckResult {
  const isUnlisted = answer.kind === 'accepted' && !answer.isModelListed;
  const detail = `${model}${isUnlisted ? ', which the server does not list' : ''}; --model or ANTHROPIC_MODEL chooses another one`;
  return { name: 'model', state: isUnlisted ? 'warning' : 'ok', detail };
}

/** Reports the source of the credentials, never their value. */
export function checkCredentials(source: string, baseUrl: string, variable?: string): CheckResult {
  if (source !== 'none') return { name: 'credentials', state: 'ok', detail: `from ${sourceName(source)}` };
  if (baseUrl !== DEFAULT_BASE_URL) {
    return {
      name: 'credentials',
      state: 'warning',
      detail: `none${variable === undefined ? '' : `, as ${variable} is not set`}; fine if the server at ${formatAddress(baseUrl)} asks for none`,
    };
  }
  return {
    name: 'credentials',
    state: 'problem',
    detail:
      'none: store a key with turnwright login, or set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, an apiKeyHelper in the settings, or ANTHROPIC_BASE_URL for a local server',
  };
}

const sourceName = (source: string): string => (source === 'login' ? 'turnwright login' : source);

function checkAnswer(
  answer: EndpointAnswer,
  { api, baseUrl, apiKeySource, provider }: ModelAccess,
  tookMs: number,
): CheckResult {
  const problem = (detail: string): CheckResult => ({ name: 'API', state: 'problem', detail });
  const shown =
    provider === DEFAULT_PROVIDER ? formatAddress(baseUrl) : `${provider} (${formatAddress(baseUrl)})`;
  switch (answer.kind) {
    case 'accepted':
      return { name: 'API', state: 'ok', detail: `${shown} lets us in (${tookMs} ms)` };
    case 'refused': {
      const whose =
        apiKeySource === 'none'
          ? 'us: it asks for credentials'
          : `the credentials from ${sourceName(apiKeySource)}`;
      return problem(`${shown} refuses ${whose} (${answer.status}). ${answer.message}`);
    }
    case 'foreign':
      return problem(
        api === 'messages'
          ? `${shown} answers, but does not speak the Messages API (${answer.status}: ${answer.message}). Check ANTHROPIC_BASE_URL: POST <base URL>/v1/messages has to work.`
          : `${shown} answers, but does not have the API ${api} (${answer.status}: ${answer.message}). Check the baseUrl of the provider.`,
      );
    case 'failed':
      return problem(`${shown} answers with an error (${answer.status}): ${answer.message}`);
    case 'unreachable':
      return problem(`${shown} cannot be reached: ${answer.message}${hintFor(baseUrl)}`);
  }
}

function hintFor(baseUrl: string): string {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname)
    ? ' Start the server, or give its address: --base-url, or providers in the settings.'
    : '';
}

/** Without secrets. */
function formatAddress(text: string): string {
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}`.replace(/\/$/, '');
}
