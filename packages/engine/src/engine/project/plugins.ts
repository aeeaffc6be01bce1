/**
 * Plugins in a session: loaded before the engine is, handed to the rooms that know what to do with their
 * parts.
 */

import { resolve } from 'node:path';
import type { Writable } from '@turnwright/base/collections/writable.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import type { McpServerEntry } from '../../mcp/servers/mcp-servers.ts';
import type { LoadedPlugins } from '../../plugins/load-plugins.ts';
import type { Plugin } from '../../plugins/loaded-plugin.ts';
import type { AgentDefinition } from '../../protocol/tools/agent.ts';
import type { ConfiguredHook, HookPolicy } from '../../protocol/tools/hook-config.ts';
import type { PluginConfig } from '../../protocol/tools/plugin.ts';
import { hooksOfPlugin } from '../../settings/resolve/resolve-hooks.ts';
import type { SkillCatalogue } from '../../skills/catalogue.ts';
import { readAgentFiles } from '../../subagents/agent-files.ts';

import { hooksOfAgents } from './agent-hooks.ts';

export type { Plugin, PluginError } from '../../plugins/loaded-plugin.ts';
export type { LoadedPlugins };

export interface PluginSetup extends LoadedPlugins {
  /**
   * Absolute: where the plugins are that the session was given, also those that are not there or could not be
   * loaded.
   */
  readonly folders: readonly string[];
  readonly hooks: readonly ConfiguredHook[];
  readonly agents: readonly AgentDefinition[];
  /** What there would be with these besides those configured. Changes nothing. */
  preview(added: readonly PluginConfig[]): Promise<PluginPreview>;
  apply(next: PluginPreview): void;
  /** The same hooks, without what cannot be read of them. */
  setHooks(hooks: readonly ConfiguredHook[]): void;
}

export interface PluginPreview extends LoadedPlugins {
  readonly hooks: readonly ConfiguredHook[];
  readonly agents: readonly AgentDefinition[];
  readonly configs: readonly PluginConfig[];
}

interface PluginParts {
  readonly cwd: string;
  readonly files: PersistentFiles;
  readonly skills: Pick<SkillCatalogue, 'setPluginDirectories'> | undefined;
  readonly hookPolicy: HookPolicy;
  readonly warn?: ((line: string) => void) | undefined;
  readonly unread: UnreadFields;
  /** Of these names, those of no built-in tool. */
  readonly unknownTools?: ((names: readonly string[]) => readonly string[]) | undefined;
}

/** Reads nothing when there are none. Never rejects: what is wrong is among the errors. */
export async function openPlugins(
  configs: readonly PluginConfig[],
  { cwd, files, skills, hookPolicy, warn, unread, unknownTools }: PluginParts,
): Promise<PluginSetup> {
  let configured = configs;
  let isOpen = false;
  const hooksOf = async (plugin: Plugin): Promise<Pick<PluginPreview, 'hooks' | 'errors'>> => {
    try {
      return { hooks: await hooksOfPlugin(plugin, hookPolicy, (line) => warn?.(line)), errors: [] };
    } catch (error) {
      const message = errorText(error);
      return { hooks: [], errors: [{ plugin: plugin.name, type: 'hook-load-failed', message }] };
    }
  };
  const foldersOf = (given: readonly PluginConfig[]) => given.map(({ path }) => resolve(cwd, path));
  const setup: Writable<PluginSetup> = {
    folders: foldersOf(configs),
    plugins: [],
    errors: [],
    hooks: [],
    agents: [],
    async preview(added) {
      const all = [...configured, ...added];
      const { loadPlugins } = await import('../../plugins/load-plugins.ts');
      const { plugins, errors } = await loadPlugins(all, { cwd, files });
      const directories = plugins.flatMap(({ name: prefix, root: within, agentDirectories }) =>
        agentDirectories.map((path) => ({ path, prefix, within, source: 'plugin' as const })),
      );
      const [read, agents] = await Promise.all([
        Promise.all(plugins.map(hooksOf)),
        readAgentFiles(directories, { files, unread, unknownTools, warn: (line) => warn?.(line) }),
      ]);
      const ofAgents = await hooksOfAgents(agents, { policy: hookPolicy, warn: (line) => warn?.(line) });
      return {
        plugins,
        agents,
        configs: all,
        hooks: [...read.flatMap(({ hooks }) => hooks), ...ofAgents],
        errors: [...errors, ...read.flatMap((each) => each.errors)],
      };
    },
    setHooks(hooks) {
      setup.hooks = hooks;
    },
    apply(next) {
      const told = new Set(setup.errors.map(({ message }) => message));
      configured = next.configs;
      setup.folders = foldersOf(configured);
      setup.plugins = next.plugins;
      setup.errors = next.errors;
      setup.hooks = next.hooks;
      setup.agents = next.agents;
      for (const { message } of next.errors) if (!told.has(message)) warn?.(message);
      const fields = isOpen ? unread.summary() : undefined;
      if (fields !== undefined) warn?.(fields);
      skills?.setPluginDirectories(
        next.plugins.flatMap(({ name, root, skillDirectories }) =>
          skillDirectories.map((path) => ({
            path,
            source: 'plugin' as const,
            plugin: name,
            mayAllowTools: true,
            within: root,
          })),
        ),
      );
    },
  };
  if (configs.length > 0) setup.apply(await setup.preview([]));
  isOpen = true;
  return setup;
}

/** Named `plugin:<plugin>:<server>`, so that nothing a plugin brings takes the place of another's. */
export function pluginServers(plugins: readonly Plugin[]): readonly McpServerEntry[] {
  return plugins.flatMap(({ name, mcpServers }) =>
    Object.entries(mcpServers).map(([server, config]) => ({
      name: `plugin:${name}:${server}`,
      scope: PLUGIN_SCOPE,
      config,
    })),
  );
}

const PLUGIN_SCOPE = 'plugin';
