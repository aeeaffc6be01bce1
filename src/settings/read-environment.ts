import { TurnwrightError } from '../protocol/errors.ts';
import type { EffortLevel } from '../protocol/wire.ts';
import { type Env, variable } from './config-home.ts';

/** What the environment says, typed. Absent means unset or empty. */
export interface EnvironmentValues {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: string | undefined;
  readonly caFiles: readonly string[];
  readonly effort?: EffortLevel | undefined;
  readonly maxThinkingTokens?: number | undefined;
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
  readonly idleNotificationMs?: number | undefined;
  readonly backgroundTasksOff: boolean;
  readonly fileCheckpointing?: boolean | undefined;
  readonly promptSuggestionsOff: boolean;
  readonly agentSummariesOff: boolean;
  readonly autoCompactOff: boolean;
  readonly autoCompactWindow?: number | undefined;
  readonly stopHookBlockCap?: number | undefined;
  /** Share of the window, 0 to 1. */
  readonly deferToolsAbove?: number | undefined;
  readonly questionPreviewFormat?: 'markdown' | 'html' | undefined;
  /** `ANTHROPIC_DEFAULT_OPUS_MODEL` and the like, for resolving aliases. */
  readonly modelAliases: Readonly<Record<string, string>>;
}

const EFFORTS: readonly EffortLevel[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const ALIAS_BEGINS = 'ANTHROPIC_DEFAULT_';
const ALIAS = /^ANTHROPIC_DEFAULT_[A-Z]+_MODEL$/;

/** Throws `invalid_settings` that names the variable, and never the value of one that may hold a secret. */
export function readEnvironment(env: Env): EnvironmentValues {
  const text = (name: string) => variable(env, name);
  const either = (name: string) => text(name) ?? text(name.toLowerCase());
  const count = (name: string, least = 1) => readCount(env, name, least);
  return {
    apiKey: text('ANTHROPIC_API_KEY'),
    authToken: text('ANTHROPIC_AUTH_TOKEN'),
    baseUrl: text('ANTHROPIC_BASE_URL'),
    model: text('ANTHROPIC_MODEL'),
    headers: readHeaders(text('ANTHROPIC_CUSTOM_HEADERS')),
    httpProxy: either('HTTP_PROXY') ?? either('ALL_PROXY'),
    httpsProxy: either('HTTPS_PROXY') ?? either('ALL_PROXY'),
    noProxy: either('NO_PROXY'),
    caFiles: ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap((name) => text(name) ?? []),
    effort: readEffort(text('CLAUDE_CODE_EFFORT_LEVEL')),
    maxThinkingTokens: count('MAX_THINKING_TOKENS', 0),
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
    idleNotificationMs: count('TURNWRIGHT_IDLE_NOTIFICATION_MS'),
    backgroundTasksOff: isOn(text('CLAUDE_CODE_DISABLE_BACKGROUND_TASKS')),
    fileCheckpointing: readSwitch(text('CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING')),
    promptSuggestionsOff: readSwitch(text('CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION')) === false,
    agentSummariesOff: isOn(text('CLAUDE_CODE_DISABLE_AGENT_PROGRESS_SUMMARIES')),
    autoCompactOff: isOn(text('DISABLE_AUTO_COMPACT')) || isOn(text('DISABLE_COMPACT')),
    autoCompactWindow: count('CLAUDE_CODE_AUTO_COMPACT_WINDOW'),
    stopHookBlockCap: count('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', 0),
    deferToolsAbove: readToolSearch(text('ENABLE_TOOL_SEARCH')),
    questionPreviewFormat: (['markdown', 'html'] as const).find(
      (format) => format === text('CLAUDE_CODE_QUESTION_PREVIEW_FORMAT'),
    ),
    modelAliases: Object.fromEntries(
      Object.keys(env).flatMap((name) => {
        const value = name.startsWith(ALIAS_BEGINS) && ALIAS.test(name) ? text(name) : undefined;
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

function readCount(env: Env, name: string, least: number): number | undefined {
  const text = variable(env, name);
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

function readEffort(text: string | undefined): EffortLevel | undefined {
  if (text === undefined) return undefined;
  const effort = EFFORTS.find((known) => known === text);
  if (effort === undefined)
    throw invalid(`CLAUDE_CODE_EFFORT_LEVEL must be one of ${EFFORTS.join(', ')}, got "${text}".`);
  return effort;
}

function isOn(text: string | undefined): boolean {
  return text !== undefined && !/^(?:0|false|no|off)$/i.test(text);
}

const readSwitch = (text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : isOn(text);

function invalid(problem: string): TurnwrightError {
  return new TurnwrightError('invalid_settings', `In the environment, ${problem}`);
}

/** `true` defers tools always, `false` never, `auto:5` beyond 5 percent of the window. */
function readToolSearch(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const percent = /^auto:(\d{1,3})$/i.exec(value)?.[1];
  if (percent !== undefined) return Math.min(1, Number(percent) / 100);
  if (/^auto$/i.test(value)) return undefined;
  return /^(?:0|false|no|off)$/i.test(value) ? 1 : isOn(value) ? 0 : undefined;
}
