/** Configurations of servers: their validation, and what kind they are of. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import { expandVariables } from './expand-variables.ts';
import type {
  HostServerConfig,
  LinkedMcpServer,
  McpOAuthConfig,
  McpRemoteServerConfig,
  McpServerInstance,
  McpToolPolicy,
  ServerConfig,
} from './server-config.ts';

export type ParsedServer =
  | { readonly ok: true; readonly config: ServerConfig }
  /** One sentence: the problem. */
  | { readonly ok: false; readonly problem: string };

export function isRemote(config: ServerConfig): config is McpRemoteServerConfig {
  return config.type === 'sse' || config.type === 'http';
}

/** Its configuration holds what gets its tokens, so that no person logs in. */
export function logsInByItself({ oauth }: McpRemoteServerConfig): boolean {
  return oauth?.grantType !== undefined || oauth?.identityProvider !== undefined;
}

export function isHosts(config: ServerConfig): config is HostServerConfig {
  return config.type === 'sdk';
}

/** Whether two configurations are equal. Servers of the host are compared by identity. */
export function isSameConfig(a: unknown, b: unknown): boolean {
  if (!isRecord(a) || !isRecord(b)) return false;
  if (a['type'] !== 'sdk') return JSON.stringify(a) === JSON.stringify(b);
  const terms = ({ tools, timeout }: Record<string, unknown>) => JSON.stringify([tools, timeout]);
  return a['instance'] === b['instance'] && a['exchange'] === b['exchange'] && terms(a) === terms(b);
}

/**
 * Whether two configurations, as written, reach one and the same server: one address with the same
 * headers, or one program with the same arguments and environment, but for a plugin's folder in it.
 */
export function isSameServer(a: unknown, b: unknown): boolean {
  const [one, other] = [identityOf(a), identityOf(b)];
  return one !== undefined && one === other;
}

function identityOf(config: unknown): string | undefined {
  if (!isRecord(config)) return undefined;
  const { url, headers, headersHelper, command, args = [], env } = config;
  if (typeof url === 'string')
    return JSON.stringify([url.replace(/\/+$/, ''), sortPairs(headers), headersHelper ?? null]);
  if (typeof command !== 'string') return undefined;
  return JSON.stringify([command, args, sortPairs(env).filter(([name]) => name !== 'CLAUDE_PLUGIN_ROOT')]);
}

const sortPairs = (value: unknown) =>
  Object.entries(isRecord(value) ? value : {}).sort(([a], [b]) => (a < b ? -1 : 1));

export interface ServerVariables {
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The variable has a value that this server must not receive; default none. */
  isWithheld?(name: string): boolean;
}

/** One server. `${VAR}` and `${VAR:-default}` in its texts are replaced. Never throws. */
export function parseServer(value: unknown, { values, isWithheld }: ServerVariables): ParsedServer {
  if (!isRecord(value)) return problem('is not an object');
  const type = value['type'] ?? ('url' in value && !('command' in value) ? 'http' : 'stdio');
  const unset = new Set<string>();
  const expand = (text: string) => expandVariables(text, values, unset);
  const parsed =
    type === 'stdio'
      ? parseStdio(value, expand)
      : type === 'sse' || type === 'http' || type === 'streamable-http'
        ? parseRemote(value, type === 'sse' ? 'sse' : 'http', expand)
        : type === 'sdk'
          ? parseHosts(value)
          : problem(`has the unknown type ${JSON.stringify(type)}`);
  const withheld = [...unset].filter((name) => isWithheld?.(name));
  if (withheld.length > 0)
    return problem(
      `names variables that may hold secrets: ${withheld.join(', ')}. A repository is given them where your own settings name them in "childEnvAllow", and the key of a model's provider never`,
    );
  // A URL that is invalid without them may be valid with them.
  if (unset.size > 0) return problem(`names variables that are not set: ${[...unset].join(', ')}`);
  return parsed;
}

type Expand = (text: string) => string;

function parseStdio(value: Record<string, unknown>, expand: Expand): ParsedServer {
  const { command, args = [], env = {} } = value;
  if (typeof command !== 'string' || command === '')
    return problem((command ?? value['type']) ? 'needs a "command"' : 'needs a "command" or a "url"');
  if (!Array.isArray(args) || !args.every(isText)) return problem('must have a list of texts as "args"');
  if (!isTextRecord(env)) return problem('must have texts by name as "env"');
  return withCommonFields(value, {
    type: 'stdio',
    command: expand(command),
    args: args.map(expand),
    env: mapValues(env, expand),
  });
}

function parseRemote(value: Record<string, unknown>, type: 'sse' | 'http', expand: Expand): ParsedServer {
  const { url, headers = {}, oauth = {} } = value;
  if (!isText(url)) return problem('needs a "url"');
  const address = expand(url);
  const protocol = URL.canParse(address) ? new URL(address).protocol : undefined;
  if (protocol !== 'http:' && protocol !== 'https:') return problem('must have an http or https "url"');
  if (!isTextRecord(headers)) return problem('must have texts by name as "headers"');
  if (!isOAuth(oauth)) return problem(OAUTH_TERMS);
  const provider = oauth.identityProvider;
  return withCommonFields(value, {
    type,
    url: address,
    headers: mapValues(headers, expand),
    ...(Object.keys(oauth).length > 0 && {
      oauth: {
        ...oauth,
        ...expandTexts(oauth, expand),
        ...(provider && { identityProvider: { ...provider, ...expandTexts(provider, expand) } }),
      },
    }),
  });
}

function parseHosts(value: Record<string, unknown>): ParsedServer {
  const { tools, timeout } = value;
  const config = hostsOwn(value);
  if (config === undefined) return problem('of type "sdk" holds neither tools nor an instance');
  return withCommonFields(
    {
      tools: isPolicyList(tools) ? strictPolicies(tools) : tools,
      timeout: typeof timeout === 'number' && timeout < LEAST_HOST_TIMEOUT_MS ? undefined : timeout,
    },
    config,
  );
}

function hostsOwn(value: Record<string, unknown>): HostServerConfig | undefined {
  const name = String(value['name']);
  if (typeof value['exchange'] === 'function') {
    const server = value as unknown as LinkedMcpServer;
    const { manifest } = server;
    return {
      type: 'sdk',
      name,
      exchange: (message, options) => server.exchange(message, options),
      listen: (receive) => server.listen?.(receive),
      ...(manifest !== undefined && { manifest }),
    };
  }
  const { instance } = value;
  if (!isRecord(instance) || typeof instance['connect'] !== 'function') return undefined;
  return { type: 'sdk', name, instance: instance as unknown as McpServerInstance['instance'] };
}

/** Without policies that allow. */
export function strictPolicies(policies: readonly McpToolPolicy[]): readonly McpToolPolicy[] {
  return policies.map(({ permission_policy: policy, ...rest }) => ({
    ...rest,
    permission_policy: policy === 'always_allow' ? undefined : policy,
  }));
}

function withCommonFields(value: Record<string, unknown>, config: ServerConfig): ParsedServer {
  const { timeout, alwaysLoad, tools } = value;
  if (timeout !== undefined && (typeof timeout !== 'number' || !(timeout > 0)))
    return problem('must have a "timeout" in ms above 0');
  if (tools !== undefined && !isPolicyList(tools))
    return problem(
      'must have a list of { name, permission_policy: always_allow, always_ask or always_deny } as "tools"',
    );
  return {
    ok: true,
    config: {
      ...config,
      ...(tools !== undefined && { tools }),
      ...(timeout !== undefined && { timeout }),
      ...(alwaysLoad === true && { alwaysLoad }),
    },
  };
}

/** Minimum time limit of a call of a host's own tool, ms. */
export const LEAST_HOST_TIMEOUT_MS = 1_000;

function problem(what: string): ParsedServer {
  return { ok: false, problem: `Its configuration ${what}.` };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

const POLICIES: readonly unknown[] = [undefined, 'always_allow', 'always_ask', 'always_deny'];
const CEILINGS: readonly unknown[] = [undefined, 'allow', 'ask', 'blocked'];

/** An invalid policy must not count as none. */
export function isPolicyList(value: unknown): value is readonly McpToolPolicy[] {
  return (
    Array.isArray(value) &&
    value.every(
      (each) =>
        isRecord(each) &&
        isText(each['name']) &&
        POLICIES.includes(each['permission_policy']) &&
        CEILINGS.includes(each['org_max_permission']),
    )
  );
}

const OAUTH_FIELDS = {
  clientId: 'string',
  clientSecret: 'string',
  clientMetadataUrl: 'string',
  grantType: 'string',
  privateKey: 'string',
  scope: 'string',
  callbackPort: 'number',
};
const OAUTH_TERMS =
  'must have texts "clientId", "clientSecret", "clientMetadataUrl", "privateKey", "scope", a number "callbackPort", a "grantType" of "client_credentials" (with "clientId", and "clientSecret" or "privateKey"), and "identityProvider" with "tokenEndpoint", "clientId" and "idToken" (beside "clientId" and "clientSecret") in "oauth"';

function isOAuth(value: unknown): value is McpOAuthConfig {
  if (!isRecord(value)) return false;
  const { grantType, identityProvider: provider, clientId, clientSecret, privateKey } = value;
  const proof = isText(clientId) && (isText(clientSecret) || isText(privateKey));
  return (
    Object.entries(OAUTH_FIELDS).every(([name, type]) => ['undefined', type].includes(typeof value[name])) &&
    (grantType === undefined || (grantType === 'client_credentials' && proof)) &&
    (provider === undefined ||
      (isRecord(provider) &&
        proof &&
        [provider['tokenEndpoint'], provider['clientId'], provider['idToken']].every(isText)))
  );
}

/** The texts of a configuration, with variables replaced. */
function expandTexts(fields: object, expand: Expand): Record<string, string> {
  const texts = Object.entries(fields).filter((entry): entry is [string, string] => isText(entry[1]));
  return mapValues(Object.fromEntries(texts), expand);
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every(isText);
}

function mapValues(record: Readonly<Record<string, string>>, map: Expand): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/** As reported to hosts. */
export function transportOf(config: ServerConfig): NonNullable<McpServerStatus['transport']> {
  if (isHosts(config)) return 'sdk';
  return isRemote(config) ? config.type : 'stdio';
}

/** As reported to hosts, without secrets. */
export function shownConfig(
  config: Exclude<ServerConfig, HostServerConfig>,
): Readonly<Record<string, unknown>> {
  if (!isRemote(config)) return { type: 'stdio', command: config.command, args: config.args ?? [] };
  const { origin, pathname } = new URL(config.url);
  return { type: config.type, url: origin + pathname };
}
