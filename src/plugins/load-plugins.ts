/** The plugins of a session. A broken plugin is reported and does not affect the others. */

import type { PluginConfig } from '../protocol/tools/plugin.ts';
import { type LoadedPlugin, loadPlugin, type PluginFiles } from './load-plugin.ts';
import type { Plugin, PluginError } from './plugin.ts';

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  readonly errors: readonly PluginError[];
}

const NO_PLUGINS: LoadedPlugins = { plugins: [], errors: [] };

/** Never rejects. The first of a name wins; the same folder twice is one plugin. */
export async function loadPlugins(
  configs: readonly PluginConfig[],
  room: { readonly cwd: string; readonly files: PluginFiles },
): Promise<LoadedPlugins> {
  const loaded = await Promise.all(configs.map((config, at) => loadPlugin(config, `inline[${at}]`, room)));
  return loaded.reduce<LoadedPlugins>(joined, NO_PLUGINS);
}

function joined(before: LoadedPlugins, { plugin, errors }: LoadedPlugin, at: number): LoadedPlugins {
  if (plugin === undefined) return { ...before, errors: [...before.errors, ...errors] };
  const same = before.plugins.find(({ name }) => name === plugin.name);
  if (same === undefined)
    return { plugins: [...before.plugins, plugin], errors: [...before.errors, ...errors] };
  if (same.root === plugin.root) return before;
  const message = `There is a plugin ${plugin.name} already, from ${same.root}; the one in ${plugin.root} was passed over.`;
  const error: PluginError = { plugin: `inline[${at}]`, type: 'duplicate-name', message, path: plugin.root };
  return { ...before, errors: [...before.errors, error] };
}
