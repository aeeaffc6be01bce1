/** The plugins of a session. A broken plugin is reported and does not affect the others. */

import { basename, join, resolve } from 'node:path';
import { isReallyInside } from '@turnwright/base/files/inside.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { PluginConfig } from '../protocol/tools/plugin.ts';
import type { Plugin, PluginError } from './loaded-plugin.ts';
import { isPluginName, type Manifest, NO_MANIFEST, parseManifest } from './manifest.ts';
import { type PluginFiles, readPluginText, statPluginPath } from './plugin-folder.ts';
import { readPluginParts } from './plugin-parts.ts';

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  readonly errors: readonly PluginError[];
}

interface LoadedPlugin {
  /** undefined: no part of it can be used. */
  readonly plugin: Plugin | undefined;
  readonly errors: readonly PluginError[];
}

const MANIFESTS = ['.turnwright-plugin/plugin.json', '.claude-plugin/plugin.json'] as const;
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

/**
 * Reads one plugin's folder into plain data. Errors in it are reported, not thrown, and nothing outside the
 * folder is read. `tag`: its name in errors before the real one is known.
 */
async function loadPlugin(
  config: PluginConfig,
  tag: string,
  { cwd, files }: { readonly cwd: string; readonly files: PluginFiles },
): Promise<LoadedPlugin> {
  const root = resolve(cwd, config.path);
  const failed = (type: PluginError['type'], message: string): LoadedPlugin => ({
    plugin: undefined,
    errors: [{ plugin: tag, type, message, path: root }],
  });
  if (config.type !== 'local')
    return failed('generic-error', `A plugin must be of the type "local": ${root}.`);
  if ((await statPluginPath(root, files)) !== 'directory')
    return failed('path-not-found', `The plugin ${root} was passed over: there is no such folder.`);
  try {
    const read = await readManifest(root, files);
    if (!read.ok) return failed('manifest-validation-error', read.problem);
    const { manifest } = read;
    const name = manifest.name ?? basename(root);
    if (!isPluginName(name))
      return failed('manifest-validation-error', `${root} needs a manifest that gives it a name.`);
    const loaded = await readPluginParts(name, root, config, manifest, files);
    if (manifest === NO_MANIFEST && isEmpty(loaded.plugin))
      return failed(
        'generic-error',
        `${root} holds neither a manifest (${MANIFESTS[1]}) nor a part of a plugin.`,
      );
    return loaded;
  } catch (error) {
    return failed('generic-error', `${root} cannot be read: ${errorText(error)}.`);
  }
}

type ReadManifest =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problem: string };

async function readManifest(root: string, files: PluginFiles): Promise<ReadManifest> {
  for (const path of MANIFESTS) {
    const file = join(root, path);
    if ((await statPluginPath(file, files)) !== 'file') continue;
    if (!(await isReallyInside(file, root, files)))
      return { ok: false, problem: `${file} leads out of the plugin.` };
    const parsed = parseManifest(await readPluginText(file, files));
    return parsed.ok ? parsed : { ok: false, problem: `${file} ${parsed.problem}.` };
  }
  return { ok: true, manifest: NO_MANIFEST };
}

function isEmpty(plugin: Plugin): boolean {
  const { commandDirectories, commandFiles, agentDirectories, skillDirectories, outputStyleDirectories } =
    plugin;
  const folders = [
    commandDirectories,
    commandFiles,
    agentDirectories,
    skillDirectories,
    outputStyleDirectories,
  ];
  return [...folders, Object.keys(plugin.hooks), Object.keys(plugin.mcpServers)].every(
    ({ length }) => length === 0,
  );
}
