/** `reloadPlugins()`: plugins are read again, and their parts replaced, while the session runs. */

import { TurnwrightError } from '../../protocol/errors.ts';
import type { SlashCommandInfo } from '../../protocol/stream/session-messages.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import type { PluginConfig } from '../../protocol/tools/plugin.ts';
import { type PluginPreview, pluginServers } from '../project/plugins.ts';
import type { Session } from '../session/session.ts';
import { commandList } from './command-list.ts';
import { type AgentInfo, agentList } from './session-listings.ts';
import { type PluginInfo, pluginInfos, takeUpPlugins } from './session-plugins.ts';

export interface ReloadPluginsOptions {
  /**
   * Changes nothing where the list of tools would change under a conversation that is in the prompt cache.
   * Default false.
   */
  readonly holdOnCacheImpact?: boolean | undefined;
  /** Joins these; paths must be absolute. */
  readonly addPlugins?: readonly PluginConfig[] | undefined;
  /** Rejects with `reload_plugins_busy` while a turn runs or a prompt waits. Default false. */
  readonly refuseIfBusy?: boolean | undefined;
}

export interface ReloadedPlugins {
  readonly commands: readonly SlashCommandInfo[];
  readonly agents: readonly AgentInfo[];
  readonly plugins: readonly PluginInfo[];
  readonly mcpServers: readonly McpServerStatus[];
  readonly error_count: number;
  /** Only when it was asked for. */
  readonly held?: boolean;
  readonly cache_impact?: {
    readonly mcp_servers_added: readonly string[];
    readonly mcp_servers_removed: readonly string[];
    readonly lsp_tool_change: null;
  };
}

export async function reloadPlugins(
  options: ReloadPluginsOptions,
  isBusy: boolean,
  session: Session,
): Promise<ReloadedPlugins> {
  if (options.refuseIfBusy === true && isBusy)
    throw new TurnwrightError(
      'reload_plugins_busy',
      'A turn is running or a prompt waits; ask again once the session is idle.',
    );
  const { commands, config, mcp, skills } = session;
  const { plugins } = config;
  const { addPlugins = [], holdOnCacheImpact: holds = false } = options;
  refuseUnusable(addPlugins);
  if (plugins === undefined) {
    if (addPlugins.length === 0) return reloaded(session, 0, holds ? { held: false } : {});
    throw new TurnwrightError('invalid_option', 'This engine was made without a place for plugins.');
  }
  const next = await plugins.preview(addPlugins);
  const impact = diffServers(plugins.plugins, next);
  const changes = impact.mcp_servers_added.length + impact.mcp_servers_removed.length > 0;
  if (holds && changes && session.conversation.messages.length > 0)
    return reloaded(session, plugins.errors.length, { held: true, cache_impact: impact });
  session.hooks.setPluginHooks(next.hooks);
  plugins.apply(next);
  // A turn that runs goes on with the agents and hooks it began with.
  if (!isBusy) takeUpPlugins(session);
  await Promise.all([mcp.setPluginServers(pluginServers(next.plugins)), skills.reload(), commands.load()]);
  return reloaded(session, next.errors.length, holds ? { held: false } : {});
}

function reloaded(
  { config, mcp }: Pick<Session, 'config' | 'mcp'>,
  error_count: number,
  held: Pick<ReloadedPlugins, 'held' | 'cache_impact'>,
): ReloadedPlugins {
  return {
    commands: commandList(config),
    agents: agentList(config),
    plugins: pluginInfos(config),
    mcpServers: mcp.statuses(),
    error_count,
    ...held,
  };
}

function diffServers(
  before: Parameters<typeof pluginServers>[0],
  { plugins }: PluginPreview,
): NonNullable<ReloadedPlugins['cache_impact']> {
  const written = (list: typeof before) =>
    new Map(pluginServers(list).map(({ name, config }) => [name, JSON.stringify(config)]));
  const [old, fresh] = [written(before), written(plugins)];
  const missingIn = (other: ReadonlyMap<string, string>, from: ReadonlyMap<string, string>) =>
    [...from].filter(([name, text]) => other.get(name) !== text).map(([name]) => name);
  return {
    mcp_servers_added: missingIn(old, fresh),
    mcp_servers_removed: missingIn(fresh, old),
    lsp_tool_change: null,
  };
}

function refuseUnusable(added: readonly PluginConfig[]): void {
  const wrong = added.find(({ type, path }) => type !== 'local' || !/^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path));
  if (wrong === undefined) return;
  throw new TurnwrightError(
    'invalid_option',
    `addPlugins takes { type: "local", path } with absolute paths, got ${JSON.stringify(wrong)}.`,
  );
}
