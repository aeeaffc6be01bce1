import { resolve } from 'node:path';
import { extended } from '@turnwright/base/collections/extended.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { withoutTrailingSlashes } from '@turnwright/base/text/cut-text.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { BaseOptions } from '../../options/options.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import {
  DEFAULT_PROVIDER,
  PROVIDER_TYPES,
  type ProviderType,
  providerFacts,
} from '../../protocol/model/provider.ts';
import type { EnvironmentValues } from '../read/read-environment.ts';
import type { Settings } from '../settings-keys.ts';
import type { Resolution } from './resolution.ts';
import { resolveProvider } from './resolve-provider.ts';
import { type ApiKeySource, DEFAULT_BASE_URL, type ResolvedOptions } from './resolved-options.ts';

/** Credentials and address that the caller may set in the engine's own configuration. */
export type GivenAccess = Pick<ResolvedOptions, 'apiKey' | 'authToken' | 'baseUrl'>;

type Connection = Pick<
  Resolution['config'],
  | 'apiKey'
  | 'apiKeySource'
  | 'authToken'
  | 'baseUrl'
  | 'ca'
  | 'credentialTtlMs'
  | 'headers'
  | 'noProxy'
  | 'provider'
  | 'providers'
  | 'isProviderMissing'
  | 'providerLockedBy'
  | 'proxies'
  | 'proxyUrl'
> &
  Pick<Resolution, 'apiKeyHelper' | 'isModelConfigured' | 'providerAskedBy'>;

interface ConnectionInput {
  readonly given: GivenAccess;
  readonly options: BaseOptions;
  /** All layers, merged. */
  readonly settings: Settings;
  readonly environment: EnvironmentValues;
  readonly cwd: string;
  readonly files: Pick<PersistentFiles, 'readFile' | 'readPlain' | 'realpath'>;
  /** Where the user's logins are looked for; undefined: nowhere. */
  readonly loginHome: string | undefined;
  readonly warn: (warning: string) => void;
}

/** A key of `apiKeyHelper` is used this long. */
const HELPER_TTL_MS = 300_000;

/** Address and credentials of requests: options override the environment, which overrides settings. */
export async function resolveConnection(input: ConnectionInput): Promise<Connection> {
  const { settings, environment } = input;
  const address = input.given.baseUrl ?? input.options.baseUrl;
  const chosen = resolveProvider({ ...input, baseUrl: address });
  const named = pickBaseUrl(chosen.addressed === chosen.provider ? address : undefined, input, chosen.type);
  if (address !== undefined) checkUrl(address, `The base URL (${BY_OPTION})`);
  checkAddresses(environment);
  const { addressVariable, reachedBy } = providerFacts(chosen.type);
  if (reachedBy === 'given_address' && named === undefined && chosen.needsBaseUrl)
    throw new TurnwrightError(
      'invalid_settings',
      `The provider "${chosen.provider}" needs the address of its API: --base-url, ${addressVariable}, or baseUrl in the settings.`,
    );
  const baseUrl =
    named === undefined
      ? DEFAULT_BASE_URL
      : withoutTrailingSlashes(checkUrl(named.url, `The base URL (${named.from})`));
  // A cloud takes the place of the base URL.
  const isSecure = reachedBy === 'cloud' || baseUrl.startsWith('https:');
  const proxies = {
    http: readProxy('HTTP_PROXY', environment.httpProxy ?? settings.proxyUrl),
    https: readProxy('HTTPS_PROXY', environment.httpsProxy ?? settings.proxyUrl),
  };
  const proxyUrl = isSecure ? proxies.https : proxies.http;
  const ownHeaders = { ...settings.headers, ...environment.headers };
  const bringsCredential = Object.keys(ownHeaders).some((name) =>
    /^(?:authorization|x-api-key)$/i.test(name),
  );
  const given = credentials(input);
  const takesLogin =
    given.apiKeySource === 'none' && chosen.provider === DEFAULT_PROVIDER && !bringsCredential;
  const credential = (takesLogin ? await storedLogin(baseUrl, input) : undefined) ?? given;
  const isOAuth = chosen.type === DEFAULT_PROVIDER && isSubscription(credential);
  const isModelConfigured =
    chosen.provider !== DEFAULT_PROVIDER ||
    named !== undefined ||
    credential.apiKeySource !== 'none' ||
    bringsCredential;
  const headers = isOAuth ? withBeta(ownHeaders, OAUTH_BETA) : ownHeaders;
  return extended(
    credential,
    credential.apiKeyHelper !== undefined && {
      credentialTtlMs: environment.apiKeyHelperTtlMs ?? HELPER_TTL_MS,
    },
    {
      provider: chosen.provider,
      providers: chosen.providers,
      providerLockedBy: chosen.lockedBy,
      providerAskedBy: chosen.askedBy,
      baseUrl,
      headers,
      isModelConfigured,
      isProviderMissing: !isModelConfigured,
      proxyUrl,
      proxies,
      noProxy: environment.noProxy ?? settings.noProxy,
      ca: await readAuthorities(input),
    },
  );
}

function readProxy(variable: string, named: string | undefined): string | undefined {
  if (named === undefined) return undefined;
  return checkUrl(withScheme(named), `The proxy URL (${variable}, ALL_PROXY or the setting proxyUrl)`);
}

type GivenCredential = Pick<Connection, 'apiKey' | 'authToken' | 'apiKeyHelper' | 'apiKeySource'>;

/** In this order; what `turnwright login` stored comes after all of them. */
function credentials({ given, settings, environment }: ConnectionInput): GivenCredential {
  const result = (
    apiKeySource: ApiKeySource,
    apiKey?: string,
    authToken?: string,
    apiKeyHelper?: string,
  ) => ({
    apiKeySource,
    apiKey,
    authToken,
    apiKeyHelper,
  });
  if (given.apiKey !== undefined || given.authToken !== undefined)
    return result('option', given.apiKey, given.authToken);
  const { apiKey, authToken } = environment;
  if (apiKey !== undefined) return result('ANTHROPIC_API_KEY', apiKey, authToken);
  if (authToken !== undefined) return result('ANTHROPIC_AUTH_TOKEN', undefined, authToken);
  if (settings.apiKeyHelper !== undefined)
    return result('apiKeyHelper', undefined, undefined, settings.apiKeyHelper);
  if (environment.oauthToken !== undefined)
    return result('CLAUDE_CODE_OAUTH_TOKEN', undefined, environment.oauthToken);
  return result('none');
}

/** What the user stored for this address; undefined: nothing. */
async function storedLogin(
  baseUrl: string,
  { loginHome: configHome, files, warn }: ConnectionInput,
): Promise<GivenCredential | undefined> {
  if (configHome === undefined) return undefined;
  const { loginFor } = await import('../login/stored-logins.ts');
  const login = await loginFor(baseUrl, { configHome, files, warn });
  return (
    login && {
      apiKeySource: 'login',
      apiKeyHelper: undefined,
      apiKey: undefined,
      authToken: undefined,
      ...login,
    }
  );
}

/** A login does not say which kind of token it is: that of a subscription is recognised by its form. */
function isSubscription({ apiKeySource, authToken = '' }: GivenCredential): boolean {
  const isLogin = apiKeySource === 'login' || apiKeySource === 'option';
  return apiKeySource === 'CLAUDE_CODE_OAUTH_TOKEN' || (isLogin && authToken.startsWith('sk-ant-oat'));
}

/**
 * A file that cannot be read is a warning: the public authorities still hold, and the connection may work.
 */
async function readAuthorities({
  settings,
  environment,
  cwd,
  files,
  warn,
}: ConnectionInput): Promise<string | undefined> {
  const named = settings.caFile;
  const paths = new Set(
    [...(named === undefined ? [] : [named]), ...environment.caFiles].map((path) => resolve(cwd, path)),
  );
  const texts: string[] = [];
  for (const path of paths) {
    try {
      texts.push(new TextDecoder().decode(await files.readFile(path)).trim());
    } catch (error) {
      warn(`The certificate file ${path} was ignored: ${errorText(error)}`);
    }
  }
  return texts.length === 0 ? undefined : `${texts.join('\n')}\n`;
}

/** The API takes a token of a subscription with this beta only. */
const OAUTH_BETA = 'oauth-2025-04-20';

function withBeta(headers: Readonly<Record<string, string>>, beta: string): Record<string, string> {
  const named =
    Object.keys(headers).find((name) => name.toLowerCase() === 'anthropic-beta') ?? 'anthropic-beta';
  return { ...headers, [named]: headers[named] === undefined ? beta : `${headers[named]},${beta}` };
}

function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
}

const BY_OPTION = 'the option baseUrl, or --base-url';

/** `from`: the setting to change for another address. */
function pickBaseUrl(
  option: string | undefined,
  { environment, settings }: Pick<ConnectionInput, 'environment' | 'settings'>,
  type: ProviderType,
): { url: string; from: string } | undefined {
  if (option !== undefined) return { url: option, from: BY_OPTION };
  if (environment.baseUrl !== undefined && type === DEFAULT_PROVIDER)
    return { url: environment.baseUrl, from: 'ANTHROPIC_BASE_URL' };
  if (settings.baseUrl !== undefined) return { url: settings.baseUrl, from: 'baseUrl in the settings' };
  return undefined;
}

/** The variable of a type's address holds a URL. */
function checkAddresses({ providerAddresses }: EnvironmentValues): void {
  for (const type of PROVIDER_TYPES) {
    const { addressVariable = '' } = providerFacts(type);
    const address = providerAddresses[addressVariable];
    if (address !== undefined) checkUrl(address, `The base URL (${addressVariable})`);
  }
}

function checkUrl(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
  const got = JSON.stringify(withoutPassword(text));
  throw new TurnwrightError('invalid_settings', `${what} must be an absolute http or https URL, not ${got}.`);
}

/** The part before an @ may contain a name and a password. */
function withoutPassword(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/*)?.*@/is, '$1…@');
}
