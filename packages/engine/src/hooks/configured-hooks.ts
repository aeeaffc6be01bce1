/** Converts hooks of settings and plugins to hooks that can run. */

import { standingFolder } from '@turnwright/base/files/standing-folder.ts';
import type { ConnectPort } from '@turnwright/base/http/connections.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { maskSecrets, shownAddress } from '@turnwright/base/text/secret-text.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { Clock } from '../protocol/ports.ts';
import type { HookCall, HookEvent } from '../protocol/tools/hook.ts';
import type {
  ConfiguredHook,
  HookConfig,
  HookListingRow,
  HookPolicy,
} from '../protocol/tools/hook-config.ts';
import type { Isolate } from '../protocol/tools/isolation.ts';
import { compileMatcher } from './compile-matcher.ts';
import { type HookKindRunner, pickTimeoutMs, type RegisteredHook } from './registered-hook.ts';
import type { AskJudge } from './run-judge.ts';
import type { CallMcpTool } from './run-mcp-tool.ts';

export interface ConfiguredHookPorts {
  readonly cwd: string;
  /** Value of `CLAUDE_PROJECT_DIR` and `TURNWRIGHT_PROJECT_DIR`. */
  readonly projectRoot: string;
  /** Environment of child processes, without secrets. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Where Python keeps compiled code of hooks of a repository; undefined: beside them. */
  readonly bytecode?: string | undefined;
  /** Isolation of commands; undefined: they run without isolation. */
  readonly isolate?: Isolate | undefined;
  /** Variables for headers of hooks that are not from a repository. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly policy: HookPolicy;
  /** Sockets of HTTP hooks. */
  readonly connect: ConnectPort;
  readonly clock: Clock;
  readonly callMcpTool: CallMcpTool;
  readonly askJudge: AskJudge;
  /** Whether a call may match this rule. Throws `invalid_option` for an invalid rule. */
  readonly ruleTest: (rule: string) => (call: HookCall) => Promise<boolean>;
}

/** Events with a tool call, which `if` is compared with. */
const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
]);

/** Throws `invalid_option`, naming the place, for an invalid matcher or condition. */
export function configuredHook(hook: ConfiguredHook, ports: ConfiguredHookPorts): RegisteredHook {
  const { event, matcher, config } = hook;
  const name = `${matcher ? `${event}:${matcher}` : event} [${oneLine(formatIdentity(config))}]`;
  return {
    event,
    matches: inPlace(hook, () => compileMatcher(matcher, event)),
    name,
    timeoutMs: pickTimeoutMs(event, config.timeout),
    onFailure: config.onFailure,
    run: createRunner(hook, ports),
    applies: buildCondition(hook, ports),
    once: config.once,
    background: readBackground(config),
    statusMessage: config.statusMessage,
    announced: true,
    listing: toListingRow(hook),
  };
}

const isOfRepository = (source: ConfiguredHook['source']): boolean =>
  source === 'projectSettings' || source === 'localSettings';

/**
 * A `__pycache__` that a repository brings along would run in place of the sources that were trusted, so
 * Python does not look there.
 */
const withBytecodeIn = (
  folder: string | undefined,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  folder === undefined || env['PYTHONPYCACHEPREFIX'] !== undefined ? {} : { PYTHONPYCACHEPREFIX: folder };

/** What runs a kind of hook is loaded when the first one of it runs. */
function createRunner(
  { config, source, pluginRoot }: ConfiguredHook,
  ports: ConfiguredHookPorts,
): HookKindRunner {
  switch (config.type) {
    case 'command': {
      const folders = {
        CLAUDE_PROJECT_DIR: ports.projectRoot,
        TURNWRIGHT_PROJECT_DIR: ports.projectRoot,
        ...(pluginRoot !== undefined && { CLAUDE_PLUGIN_ROOT: pluginRoot }),
        ...(isOfRepository(source) && withBytecodeIn(ports.bytecode, ports.childEnv)),
      };
      const { cwd, clock, isolate } = ports;
      const env = { ...ports.childEnv, ...folders };
      return async (...run) => {
        const { runCommandHook } = await import('./run-command-hook.ts');
        return runCommandHook(config, { cwd: standingFolder(cwd), env, clock, isolate })(...run);
      };
    }
    case 'http': {
      const { policy, connect } = ports;
      const variables = isOfRepository(source) ? ports.childEnv : ports.env;
      return async (...run) =>
        (await import('./run-http.ts')).runHttp(config, { policy, connect, variables })(...run);
    }
    case 'mcp_tool':
      return async (...run) =>
        (await import('./run-mcp-tool.ts')).runMcpTool(config, ports.callMcpTool)(...run);
    case 'prompt':
    case 'agent':
      return async (...run) => (await import('./run-judge.ts')).runJudge(config, ports.askJudge)(...run);
  }
}

/** Ids of agents that judge for a hook begin so. */
export const JUDGE_ID = 'hook-';

/** Whose call it is, and the hook's own condition. */
function buildCondition(hook: ConfiguredHook, ports: ConfiguredHookPorts): RegisteredHook['applies'] {
  const { onlyIn, notIn } = hook;
  const rule = buildRuleTest(hook, ports);
  const judges = hook.config.type === 'prompt' || hook.config.type === 'agent';
  if (onlyIn === undefined && notIn === undefined && !judges) return rule;
  return async (call) => {
    const { agent_id, agent_type } = call as { readonly agent_id?: string; readonly agent_type?: string };
    // What one judge does is not put to another, which would do the same.
    if (judges && agent_id?.startsWith(JUDGE_ID) === true) return false;
    if (onlyIn === undefined && notIn === undefined) return rule === undefined || rule(call);
    // The main thread has no id.
    const agent = agent_id === undefined ? undefined : agent_type;
    const isMeant = onlyIn === undefined ? agent !== notIn : agent === onlyIn;
    return isMeant && (rule === undefined || rule(call));
  };
}

function buildRuleTest(hook: ConfiguredHook, ports: ConfiguredHookPorts): RegisteredHook['applies'] {
  const rule = hook.config.if;
  if (rule === undefined) return undefined;
  if (!TOOL_EVENTS.has(hook.event)) return async () => false;
  return inPlace(hook, () => ports.ruleTest(rule));
}

function readBackground(config: HookConfig): RegisteredHook['background'] {
  if (config.type !== 'command') return undefined;
  return config.asyncRewake === true ? 'rewake' : config.async === true ? 'quiet' : undefined;
}

function inPlace<T>({ place }: ConfiguredHook, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const problem = errorText(cause);
    throw new TurnwrightError('invalid_settings', `Settings in ${place} cannot be used: ${problem}`, {
      cause,
    });
  }
}

const SOURCE_LABELS: Readonly<Record<ConfiguredHook['source'], string>> = {
  userSettings: 'User settings',
  projectSettings: 'Project settings',
  localSettings: 'Local settings',
  flagSettings: 'Settings of this run',
  policySettings: 'Managed settings',
  pluginHook: 'Plugin',
};
const CONTENT_LABELS = {
  command: 'Command',
  http: 'URL',
  mcp_tool: 'MCP tool',
  prompt: 'Prompt',
  agent: 'Prompt',
} as const;

function toListingRow({ event, matcher = '', config, source, pluginName }: ConfiguredHook): HookListingRow {
  const identity = oneLine(formatIdentity(config));
  const { timeout, statusMessage } = config;
  return {
    event,
    matcher: visible(matcher),
    source,
    sourceLabel: SOURCE_LABELS[source],
    ...(pluginName !== undefined && { pluginName }),
    type: config.type,
    displayText: statusMessage === undefined ? identity : oneLine(statusMessage),
    commandText: visible(formatIdentity(config)),
    contentLabel: CONTENT_LABELS[config.type],
    ...(config.if !== undefined && { condition: visible(config.if) }),
    ...(timeout !== undefined && { timeout }),
    ...(statusMessage !== undefined && { statusMessage }),
    ...(config.once === true && { runsOnce: true }),
    ...(readBackground(config) !== undefined && { runsInBackground: true }),
  };
}

function formatIdentity(config: HookConfig): string {
  switch (config.type) {
    case 'command':
      return maskSecrets([config.command, ...(config.args ?? [])].join(' '));
    case 'http':
      return shownAddress(config.url);
    case 'mcp_tool':
      return `${config.server}: ${config.tool}`;
    case 'prompt':
    case 'agent':
      return maskSecrets(config.prompt);
  }
}

function oneLine(text: string): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}

/** Escapes control characters. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (char) =>
    char === '\n' || char === '\t' ? char : `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
