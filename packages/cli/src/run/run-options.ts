/**
 * The flags of a run as options of `query()`: those that are one as they are, and what others make of them.
 */

import { absolutePath, homeDirectory } from '@turnwright/base/files/home-path.ts';
import { type CanUseTool, machineSettingsFile, type Options } from '@turnwright/engine';
import { SETTING_SOURCES } from '@turnwright/engine/options/option-values.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import type { Env } from '../world.ts';
import { isTrustedUnasked } from './trust-question.ts';

export interface RunContext {
  readonly cwd: string;
  readonly env: Env;
  /** Raw stream events, for text that is printed as it comes. */
  readonly partials: boolean;
  readonly canUseTool: CanUseTool | undefined;
  /** Warnings of the engine. */
  readonly warn?: ((line: string) => void) | undefined;
}

export function optionsFrom(flags: RunFlags, context: RunContext): Options {
  const { options, dangerouslySkipPermissions: bypass = false, mcpConfig = [], takeOver } = flags;
  const { permissionPromptToolName: asker } = options;
  return {
    ...options,
    tracing: flags.tracing,
    cwd: context.cwd,
    env: context.env,
    canUseTool: context.canUseTool,
    includePartialMessages: context.partials,
    stderr: context.warn,
    permissionMode: bypass ? 'bypassPermissions' : options.permissionMode,
    allowDangerouslySkipPermissions: bypass || options.allowDangerouslySkipPermissions,
    // The host that drives the command line is asked by `canUseTool`.
    permissionPromptToolName: asker === 'stdio' ? undefined : asker,
    tools: toolsOf(options.tools),
    additionalDirectories: options.additionalDirectories?.map((folder) =>
      absolutePath(folder, { cwd: context.cwd, home: homeDirectory(context.env) }),
    ),
    systemPrompt: systemPromptOf(flags),
    thinking: thinkingOf(flags),
    plugins: pluginsOf(flags),
    mcpServers: Object.assign({}, ...mcpConfig) as Options['mcpServers'],
    engine: { mayGoUnkept: true, ...(takeOver === true && { takeOver }) },
    managedSettingsFile: machineSettingsFile(process.platform),
    settingSources: options.settingSources ?? SETTING_SOURCES,
    // Settings of a repository may restrict, but what they allow or run needs the user's trust (T101–T103).
    projectTrusted: isTrustedUnasked(flags, context.env),
    // A person who declined knows what does not run.
    trustRecorded: options.trustRecorded ?? true,
  };
}

/** `default` means all of them, like an absent list. */
function toolsOf(tools: Options['tools']): Options['tools'] {
  return Array.isArray(tools) && tools.includes('default') ? undefined : tools;
}

/** `query()` sends no system prompt by default; the command line sends Turnwright's own. */
function systemPromptOf({ options, appendSystemPrompt }: RunFlags): Options['systemPrompt'] {
  const { systemPrompt } = options;
  if (typeof systemPrompt !== 'string')
    return { type: 'preset', preset: 'turnwright', append: appendSystemPrompt };
  return appendSystemPrompt === undefined ? systemPrompt : [systemPrompt, appendSystemPrompt];
}

function thinkingOf({ options, thinkingDisplay }: RunFlags): Options['thinking'] {
  const { thinking, maxThinkingTokens } = options;
  const display = thinkingDisplay === undefined ? {} : { display: thinkingDisplay };
  const budget = maxThinkingTokens ? { budgetTokens: maxThinkingTokens } : {};
  if (thinking?.type === 'disabled') return thinking;
  if (thinking?.type === 'adaptive') return { type: 'adaptive', ...display };
  if (thinking?.type === 'enabled' || ('display' in display && maxThinkingTokens))
    return { type: 'enabled', ...budget, ...display };
  return undefined;
}

function pluginsOf({ options: { plugins = [] }, pluginDirNoMcp = [] }: RunFlags): Options['plugins'] {
  const withoutServers = pluginDirNoMcp.map((path) => ({
    type: 'local' as const,
    path,
    skipMcpDiscovery: true,
  }));
  return [...plugins, ...withoutServers];
}
