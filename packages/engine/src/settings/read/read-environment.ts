import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import { mustBe } from '../../options/check-options.ts';
import { trueOrFalse } from '../../options/kinds.ts';
import type { ToolConfig } from '../../options/option-values.ts';
import type { BaseOptions } from '../../options/options.ts';
import { OPTIONS, type OptionRow } from '../../options/table.ts';
import { toolSearchShare } from '../../options/tool-search-mode.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import {
  type CloudName,
  cloudOf,
  NAMED_PROVIDERS,
  PROVIDER_TYPES,
  providerFacts,
} from '../../protocol/model/provider.ts';
import type { SessionStateAudience } from '../../protocol/stream/session-messages.ts';
import { type Environment, readVariable } from './config-home.ts';

/** The values of the environment, typed. Absent means unset or empty. */
export interface EnvironmentValues {
  /** The options that have a variable, under their names. */
  readonly options: BaseOptions;
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  /** Token of a subscription. */
  readonly oauthToken?: string | undefined;
  readonly apiKeyHelperTtlMs?: number | undefined;
  readonly baseUrl?: string | undefined;
  /** Addresses of providers, by the variables that their own clients read. */
  readonly providerAddresses: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: string | undefined;
  readonly caFiles: readonly string[];
  /** Clouds whose models are asked for, with the variable that asks for it. */
  readonly clouds: readonly {
    readonly variable: string;
    readonly provider: CloudName;
  }[];
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  readonly promptCachingOff: boolean;
  readonly promptCacheTtl?: '5m' | '1h' | undefined;
  readonly fastModeOff: boolean;
  readonly maxOutputTokens?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly unreachedRetries?: number | undefined;
  readonly headersTimeoutMs?: number | undefined;
  readonly firstByteTimeoutMs?: number | undefined;
  readonly bashDefaultTimeoutMs?: number | undefined;
  readonly bashMaxTimeoutMs?: number | undefined;
  readonly bashMaxOutputChars?: number | undefined;
  readonly mcpStartTimeoutMs?: number | undefined;
  readonly mcpToolTimeoutMs?: number | undefined;
  readonly mcpNotAwaited: boolean;
  readonly idleNotificationMs?: number | undefined;
  readonly backgroundTasksOff: boolean;
  readonly sessionState?: SessionStateAudience | undefined;
  readonly promptSuggestionsOff: boolean;
  readonly agentSummariesOff: boolean;
  /** A folder of notes for the main conversation. */
  readonly memoryPath?: string | undefined;
  readonly autoCompactOff: boolean;
  readonly autoCompactWindow?: number | undefined;
  readonly stopHookBlockCap?: number | undefined;
  /** Share of the window, 0 to 1. */
  readonly deferToolsAbove?: number | undefined;
  readonly toolConfig?: ToolConfig | undefined;
  /** `ANTHROPIC_DEFAULT_OPUS_MODEL` and the like, for resolving aliases. */
  readonly modelAliases: Readonly<Record<string, string>>;
}

/** Variables that ask for a cloud. */
const CLOUD_VARIABLES = PROVIDER_TYPES.flatMap((type) => {
  const { askedBy: variable } = providerFacts(type);
  const provider = cloudOf(type);
  return variable === undefined || provider === undefined ? [] : [{ variable, provider }];
});
const ADDRESS_VARIABLES = [
  ...Object.values(NAMED_PROVIDERS),
  ...PROVIDER_TYPES.map((type) => providerFacts(type)),
].flatMap(({ addressVariable }) => addressVariable ?? []);
/** Fields of a request that only the conversation sets. */
const OWN_FIELDS: readonly string[] = [
  ...['model', 'system', 'tools', 'messages', 'input', 'instructions', 'stream'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'n'],
];
const ALIAS_BEGINS = 'ANTHROPIC_DEFAULT_';
const ALIAS = /^ANTHROPIC_DEFAULT_[A-Z]+_MODEL$/;

/** Throws `invalid_settings` that names the variable, and never the value of one that may hold a secret. */
export function readEnvironment(env: Environment): EnvironmentValues {
  const text = (name: string) => readVariable(env, name);
  const either = (name: string) => text(name) ?? text(name.toLowerCase());
  const count = (name: string, least = 1) => readCount(env, name, least);
  return {
    options: readOptions(text),
    apiKey: text('ANTHROPIC_API_KEY'),
    authToken: text('ANTHROPIC_AUTH_TOKEN'),
    oauthToken: text('CLAUDE_CODE_OAUTH_TOKEN'),
    apiKeyHelperTtlMs: count('CLAUDE_CODE_API_KEY_HELPER_TTL_MS'),
    baseUrl: text('ANTHROPIC_BASE_URL'),
    providerAddresses: Object.fromEntries(
      ADDRESS_VARIABLES.flatMap((name) => {
        const address = text(name);
        return address === undefined ? [] : [[name, address]];
      }),
    ),
    headers: readHeaders(text('ANTHROPIC_CUSTOM_HEADERS')),
    httpProxy: either('HTTP_PROXY') ?? either('ALL_PROXY'),
    httpsProxy: either('HTTPS_PROXY') ?? either('ALL_PROXY'),
    noProxy: either('NO_PROXY'),
    caFiles: ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap((name) => text(name) ?? []),
    clouds: CLOUD_VARIABLES.filter(({ variable }) => isOn(text(variable))),
    extraBody: readExtraBody(text('CLAUDE_CODE_EXTRA_BODY')),
    promptCachingOff: isOn(text('DISABLE_PROMPT_CACHING')),
    promptCacheTtl: readCacheTtl(text),
    fastModeOff: isOn(text('CLAUDE_CODE_DISABLE_FAST_MODE')),
    maxOutputTokens: count('CLAUDE_CODE_MAX_OUTPUT_TOKENS'),
    maxRetries: count('CLAUDE_CODE_MAX_RETRIES', 0),
    unreachedRetries: count('TURNWRIGHT_UNREACHED_RETRIES', 0),
    headersTimeoutMs: count('API_TIMEOUT_MS'),
    firstByteTimeoutMs: count('CLAUDE_STREAM_FIRST_BYTE_TIMEOUT_MS'),
    bashDefaultTimeoutMs: count('BASH_DEFAULT_TIMEOUT_MS'),
    bashMaxTimeoutMs: count('BASH_MAX_TIMEOUT_MS'),
    bashMaxOutputChars: count('BASH_MAX_OUTPUT_LENGTH'),
    mcpStartTimeoutMs: count('MCP_TIMEOUT'),
    mcpToolTimeoutMs: count('MCP_TOOL_TIMEOUT'),
    mcpNotAwaited: isOn(text('MCP_CONNECTION_NONBLOCKING')),
    idleNotificationMs: count('TURNWRIGHT_IDLE_NOTIFICATION_MS'),
    backgroundTasksOff: isOn(text('CLAUDE_CODE_DISABLE_BACKGROUND_TASKS')),
    sessionState: isOn(text('CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS'))
      ? 'everyone'
      : isOn(text('CLAUDE_CODE_SDK_READS_SESSION_STATE'))
        ? 'host'
        : undefined,
    promptSuggestionsOff: readSwitch(text('CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION')) === false,
    agentSummariesOff: isOn(text('CLAUDE_CODE_DISABLE_AGENT_PROGRESS_SUMMARIES')),
    memoryPath: text('CLAUDE_COWORK_MEMORY_PATH_OVERRIDE'),
    autoCompactOff: isOn(text('DISABLE_AUTO_COMPACT')) || isOn(text('DISABLE_COMPACT')),
    autoCompactWindow: count('CLAUDE_CODE_AUTO_COMPACT_WINDOW'),
    stopHookBlockCap: count('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', 0),
    deferToolsAbove: toolSearchShare(text(OPTIONS.toolSearch.variable) ?? ''),
    toolConfig: readToolConfig(text(OPTIONS.toolConfig.variable)),
    modelAliases: Object.fromEntries(
      Object.keys(env).flatMap((name) => {
        const value = name.startsWith(ALIAS_BEGINS) && ALIAS.test(name) ? text(name) : undefined;
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

function readCount(env: Environment, name: string, least: number): number | undefined {
  const text = readVariable(env, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw invalid(`${name} must be a whole number of at least ${least}, got "${text}".`);
}

/** One `Name: value` a line. */
function readHeaders(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  const headers: Record<string, string> = {};
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const match = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*([\t\x20-\x7e\x80-\xff]*)$/.exec(line);
    const [, name, value] = match ?? [];
    if (name === undefined || value === undefined) {
      throw invalid(`ANTHROPIC_CUSTOM_HEADERS must hold one "Name: value" a line; line ${i + 1} does not.`);
    }
    headers[name] = value.trimEnd();
  }
  return headers;
}

/**
 * Variables that other programs read too, so that unknown words are ignored: `readEnvironment` reads them.
 */
const LENIENT: readonly string[] = ['toolSearch', 'toolConfig'];

/** The options whose rows name a variable. */
const FROM_VARIABLES = Object.entries<OptionRow>(OPTIONS).flatMap(([name, { is, variable: named }]) =>
  named === undefined || LENIENT.includes(name) ? [] : [{ name, is, named }],
);

function readOptions(text: (name: string) => string | undefined): BaseOptions {
  const options: Record<string, unknown> = {};
  for (const { name, is, named } of FROM_VARIABLES) {
    const words = text(named);
    if (words === undefined) continue;
    const value = (is as unknown) === trueOrFalse ? isOn(words) : is.read?.(words, undefined);
    if (!is.accepts(value)) throw invalid(`${named} ${mustBe(is, words)}.`);
    options[name] = value;
  }
  return options;
}

function readToolConfig(format: string | undefined): ToolConfig | undefined {
  const previewFormat = (['markdown', 'html'] as const).find((known) => known === format);
  return previewFormat && { askUserQuestion: { previewFormat } };
}

function isOn(text: string | undefined): boolean {
  return text !== undefined && !/^(?:0|false|no|off)$/i.test(text);
}

const readSwitch = (text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : isOn(text);

function invalid(problem: string): TurnwrightError {
  return new TurnwrightError('invalid_settings', `In the environment, ${problem}`);
}

/** Further fields of each request's body, as a JSON object. */
function readExtraBody(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  const value = readJsonObject(text);
  if (value === undefined) throw invalid('CLAUDE_CODE_EXTRA_BODY must be a JSON object.');
  const own = OWN_FIELDS.find((name) => Object.hasOwn(value, name));
  if (own !== undefined)
    throw invalid(`CLAUDE_CODE_EXTRA_BODY cannot set "${own}": the conversation itself decides about it.`);
  return value;
}

function readCacheTtl(text: (name: string) => string | undefined): '5m' | '1h' | undefined {
  const ttl = text('CLAUDE_CODE_PROMPT_CACHE_TTL');
  if (ttl === '5m' || ttl === '1h') return ttl;
  if (ttl !== undefined) throw invalid(`CLAUDE_CODE_PROMPT_CACHE_TTL must be 5m or 1h, got "${ttl}".`);
  return isOn(text('ENABLE_PROMPT_CACHING_1H')) ? '1h' : undefined;
}
