/** The plugins of a session. A broken plugin is reported and does not affect the others. */

import { basename, join, resolve } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import type { PluginConfig } from '../protocol/tools/plugin.ts';
import { isReallyInside } from '../util/files/inside.ts';
import { errorText } from '../util/text/error-text.ts';
import { isPluginName, isRecord, type Manifest, NO_MANIFEST, parseManifest } from './manifest.ts';
import { PLUGIN_ROOT, type Plugin, type PluginError } from './plugin.ts';

type PluginFiles = Pick<PersistentFiles, 'stat' | 'lstat' | 'readDir' | 'readFile' | 'realpath'>;

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
const MAX_FILE_BYTES = 1024 * 1024;
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
  if ((await kindOf(root, files)) !== 'directory')
    return failed('path-not-found', `The plugin ${root} was passed over: there is no such folder.`);
  try {
    const read = await readManifest(root, files);
    if (!read.ok) return failed('manifest-validation-error', read.problem);
    const { manifest } = read;
    const name = manifest.name ?? basename(root);
    if (!isPluginName(name))
      return failed('manifest-validation-error', `${root} needs a manifest that gives it a name.`);
    const loaded = await partsOf(name, root, config, manifest, files);
    if (manifest === NO_MANIFEST && isEmpty(loaded.plugin))
      return failed(
        'generic-error',
        `${root} holds neither a manifest (${MANIFESTS[1]}) nor a part of a plugin.`,
      );
    return loaded;
  } catch (error) {
    return failed('generic-error', `${root} cannot be read: ${messageOf(error)}.`);
  }
}

type ReadManifest =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problem: string };

async function readManifest(root: string, files: PluginFiles): Promise<ReadManifest> {
  for (const path of MANIFESTS) {
    const file = join(root, path);
    if ((await kindOf(file, files)) !== 'file') continue;
    if (!(await isReallyInside(file, root, files)))
      return { ok: false, problem: `${file} leads out of the plugin.` };
    const parsed = parseManifest(await textOf(file, files));
    return parsed.ok ? parsed : { ok: false, problem: `${file} ${parsed.problem}.` };
  }
  return { ok: true, manifest: NO_MANIFEST };
}

async function partsOf(
  name: string,
  root: string,
  { skipMcpDiscovery }: PluginConfig,
  manifest: Manifest,
  files: PluginFiles,
): Promise<{ readonly plugin: Plugin; readonly errors: readonly PluginError[] }> {
  const errors: PluginError[] = manifest.problems.map((problem) => ({
    plugin: name,
    type: 'manifest-validation-error',
    message: `The manifest of ${name}: ${problem}.`,
  }));
  const fail = (type: PluginError['type'], message: string) =>
    void errors.push({ plugin: name, type, message });

  /** undefined: missing, or not allowed. */
  const inside = async (path: string, needed: boolean): Promise<string | undefined> => {
    const full = resolve(root, path);
    const kind = await kindOf(full, files);
    if (kind === undefined && !escapes(path)) {
      if (needed) fail('component-load-failed', `The plugin ${name} names ${path}, which does not exist.`);
      return undefined;
    }
    if (!escapes(path) && (await isReallyInside(full, root, files))) return full;
    fail('path-escape', `The plugin ${name} names ${path}, which lies outside of its folder.`);
    return undefined;
  };
  const folders = async (standard: string, named: readonly string[]): Promise<readonly string[]> => {
    const found = [
      await inside(standard, false),
      ...(await Promise.all(named.map((path) => inside(path, true)))),
    ];
    return [...new Set(found.flatMap((path) => path ?? []))];
  };
  /** Folders that other rooms read: none may contain a link that leads out. */
  const sealed = async (paths: readonly string[]): Promise<readonly string[]> => {
    const links = await Promise.all(paths.map((path) => linkOut(path, root, files)));
    return paths.filter((path, at) => {
      if (links[at] === undefined) return true;
      fail('path-escape', `The plugin ${name} lost ${path}: ${links[at]} leads out of its folder.`);
      return false;
    });
  };
  /** A JSON file, or the value in the manifest. */
  const values = async (
    given: unknown,
    standard: string,
    inner: string,
  ): Promise<Record<string, unknown>> => {
    const paths = typeof given === 'string' ? [given] : [];
    const merged: Record<string, unknown> = {};
    for (const [path, needed] of [
      [standard, false] as const,
      ...paths.map((each) => [each, true] as const),
    ]) {
      const file = await inside(path, needed);
      if (file === undefined) continue;
      try {
        Object.assign(merged, unwrapped(JSON.parse(await textOf(file, files)), inner));
      } catch (error) {
        fail('component-load-failed', `${file} of the plugin ${name} cannot be used: ${messageOf(error)}.`);
      }
    }
    if (given === undefined || typeof given === 'string') return merged;
    if (isRecord(given)) return { ...merged, ...unwrapped(given, inner) };
    fail('manifest-validation-error', `"${inner}" of the plugin ${name} must be a path or an object.`);
    return merged;
  };

  const { version, description } = manifest;
  const servers =
    skipMcpDiscovery === true ? {} : await values(manifest.mcpServers, '.mcp.json', 'mcpServers');
  const plugin: Plugin = {
    name,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    root,
    commandDirectories: await sealed(await folders('commands', manifest.commands)),
    agentDirectories: await sealed(await folders('agents', manifest.agents)),
    skillDirectories: await folders('skills', manifest.skills),
    outputStyleDirectories: await folders('output-styles', manifest.outputStyles),
    hooks: await values(manifest.hooks, 'hooks/hooks.json', 'hooks'),
    mcpServers: Object.fromEntries(
      Object.entries(servers).map(([server, config]) => [server, serverConfig(config, root)]),
    ),
  };
  return { plugin, errors };
}

/** `{ "hooks": {…} }` and `{…}` alike. Throws for a value that is not an object. */
function unwrapped(value: unknown, inner: string): Record<string, unknown> {
  const found = isRecord(value) && inner in value ? value[inner] : value;
  if (!isRecord(found)) throw new Error('it holds no object');
  return found;
}

/** Passes the plugin's folder to the server, too. */
function serverConfig(config: unknown, root: string): unknown {
  const expanded = expandRoot(config, root);
  if (!isRecord(expanded) || typeof expanded['command'] !== 'string') return expanded;
  const { env } = expanded;
  return { ...expanded, env: { [PLUGIN_ROOT]: root, ...(isRecord(env) ? env : {}) } };
}

function expandRoot(value: unknown, root: string): unknown {
  if (typeof value === 'string') return value.replaceAll(`\${${PLUGIN_ROOT}}`, root);
  if (Array.isArray(value)) return value.map((each) => expandRoot(each, root));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, expandRoot(each, root)]));
}

/** By its spelling only; links are checked on disk. */
function escapes(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:)/.test(path) || path.split(/[\\/]/).includes('..');
}

function isEmpty(plugin: Plugin): boolean {
  const { commandDirectories, agentDirectories, skillDirectories, outputStyleDirectories } = plugin;
  const folders = [commandDirectories, agentDirectories, skillDirectories, outputStyleDirectories];
  return [...folders, Object.keys(plugin.hooks), Object.keys(plugin.mcpServers)].every(
    ({ length }) => length === 0,
  );
}

const MAX_DEPTH = 6;

/**
 * The first link in a folder, or below it, that leads out of `root`. Links that stay inside are not followed.
 */
async function linkOut(
  folder: string,
  root: string,
  files: PluginFiles,
  depth = 0,
): Promise<string | undefined> {
  for (const name of await files.readDir(folder).catch(() => [])) {
    const path = join(folder, name);
    const kind = (await files.lstat(path).catch(() => undefined))?.kind;
    if (kind === 'symlink' && !(await isReallyInside(path, root, files))) return path;
    const below =
      kind === 'directory' && depth < MAX_DEPTH ? await linkOut(path, root, files, depth + 1) : undefined;
    if (below !== undefined) return below;
  }
  return undefined;
}

async function kindOf(path: string, files: PluginFiles) {
  return (await files.stat(path).catch(() => undefined))?.kind;
}

async function textOf(file: string, files: PluginFiles): Promise<string> {
  const size = (await files.stat(file))?.size ?? 0;
  if (size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES / 1024} KB`);
  return new TextDecoder().decode(await files.readFile(file));
}

function messageOf(error: unknown): string {
  return errorText(error);
}
