/** Plugins in a session: loaded before the engine is, handed to the rooms that know what to do with their parts. */
import type { McpServerEntry } from '../../mcp/mcp-servers.ts';
import { type LoadedPlugins, loadPlugins, NO_PLUGINS } from '../../plugins/load-plugins.ts';
import type { Plugin, PluginConfig } from '../../plugins/plugin.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { SkillCatalogue } from '../../skills/catalogue.ts';

export type { Plugin, PluginConfig, PluginError } from '../../plugins/plugin.ts';
export type { LoadedPlugins };

export interface PluginSetup extends LoadedPlugins {
  /** What there would be with these besides those configured. Changes nothing. */
  preview(added: readonly PluginConfig[]): Promise<PluginPreview>;
  apply(next: PluginPreview): void;
}

export interface PluginPreview extends LoadedPlugins {
  readonly configs: readonly PluginConfig[];
}

export interface PluginParts {
  readonly cwd: string;
  readonly files: PersistentFiles;
  readonly skills: Pick<SkillCatalogue, 'setPluginDirectories'> | undefined;
  readonly warn?: ((line: string) => void) | undefined;
}

/** Reads nothing when there are none. Never rejects: what is wrong is among the errors. */
export async function openPlugins(
  configs: readonly PluginConfig[],
  { cwd, files, skills, warn }: PluginParts,
): Promise<PluginSetup> {
  let now: PluginPreview = { ...NO_PLUGINS, configs };
  const setup: PluginSetup = {
    get plugins() {
      return now.plugins;
    },
    get errors() {
      return now.errors;
    },
    async preview(added) {
      const all = [...now.configs, ...added];
      return { ...(await loadPlugins(all, { cwd, files })), configs: all };
    },
    apply(next) {
      const told = new Set(now.errors.map(({ message }) => message));
      now = next;
      for (const { message } of next.errors) if (!told.has(message)) warn?.(message);
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

export const PLUGIN_SCOPE = 'plugin';
