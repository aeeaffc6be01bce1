/** The parts of one plugin, as plain data. Errors are reported, and nothing outside its folder is read. */
import { basename, dirname, join, resolve } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import type { PluginConfig } from '../protocol/tools/plugin.ts';
import { isReallyInside } from '../util/files/inside.ts';
import { readHandWrittenJson } from '../util/files/plain-json.ts';
import { isRecord } from '../util/is-record.ts';
import { errorText } from '../util/text/error-text.ts';
import type { Manifest, NamedCommand } from './manifest.ts';
import { PLUGIN_ROOT, type Plugin, type PluginCommand, type PluginError } from './plugin.ts';

export type PluginFiles = Pick<PersistentFiles, 'stat' | 'lstat' | 'readDir' | 'readFile' | 'realpath'>;

const SKILL_FILE = 'SKILL.md';
const MAX_FILE_BYTES = 1024 * 1024;

/** Reads what the manifest names, and the default places. Never rejects for what it finds there. */
export async function partsOf(
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
  const named = async (paths: readonly string[]): Promise<readonly string[]> => {
    const found = await Promise.all(paths.map((path) => inside(path, true)));
    return [...new Set(found.flatMap((path) => path ?? []))];
  };
  /** What the manifest names, else the default folder. */
  const places = async (
    standard: string,
    paths: readonly string[] | undefined,
  ): Promise<readonly string[]> => {
    if (paths !== undefined) return named(paths);
    const found = await inside(standard, false);
    return found === undefined ? [] : [found];
  };
  /** Of named places, the files; a file of another kind is an error. */
  const filesAmong = async (field: string, paths: readonly string[]): Promise<readonly string[]> => {
    const kinds = await Promise.all(paths.map((path) => kindOf(path, files)));
    const found = paths.filter((_, at) => kinds[at] === 'file');
    for (const path of found)
      if (!path.endsWith('.md'))
        fail(
          'component-load-failed',
          `The plugin ${name} names ${path} in "${field}", which is no Markdown file.`,
        );
    return found;
  };
  const isMarkdownOrFolder = async (field: string, paths: readonly string[]): Promise<readonly string[]> => {
    const other = (await filesAmong(field, paths)).filter((path) => !path.endsWith('.md'));
    return paths.filter((path) => !other.includes(path));
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
  /** The default JSON file, then those that the manifest names and the values in it, each file once. */
  const values = async (
    given: Manifest['hooks'],
    standard: string,
    inner: string,
  ): Promise<readonly Record<string, unknown>[]> => {
    const read = new Set<string>();
    const found: Record<string, unknown>[] = [];
    for (const each of [standard, ...given]) {
      const file = typeof each === 'string' ? await inside(each, each !== standard) : undefined;
      if (typeof each === 'string' && (file === undefined || read.has(file))) continue;
      if (file !== undefined) read.add(file);
      try {
        found.push(
          unwrapped(file === undefined ? each : readHandWrittenJson(await textOf(file, files)), inner),
        );
      } catch (error) {
        const what = file ?? `"${inner}" in the manifest`;
        fail('component-load-failed', `${what} of the plugin ${name} cannot be used: ${errorText(error)}.`);
      }
    }
    return found;
  };
  const commandPlaces = await places('commands', manifest.commands);
  const commandPaths = await isMarkdownOrFolder('commands', commandPlaces);
  const commandFiles = await filesAmong('commands', commandPaths);
  const commandsOf = async ([own, { source, content, ...fields }]: [string, NamedCommand]): Promise<
    readonly PluginCommand[]
  > => {
    if (source === undefined)
      return [{ ...fields, name: own, path: root, ...(content !== undefined && { text: content }) }];
    const path = await inside(source, true);
    return path === undefined ? [] : [{ ...fields, name: own, path }];
  };

  /** The default folder, the plugin's own if it is a skill, and the named ones, with or without SKILL.md. */
  const skillFolders = async (): Promise<readonly string[]> => {
    const own = (await inside(SKILL_FILE, false)) === undefined ? [] : [root];
    const others = (await named(manifest.skills)).map((path) =>
      basename(path) === SKILL_FILE ? dirname(path) : path,
    );
    return [...new Set([...(await places('skills', undefined)), ...own, ...others])];
  };

  const { version, description } = manifest;
  const servers = Object.assign(
    {},
    ...(skipMcpDiscovery === true ? [] : await values(manifest.mcpServers, '.mcp.json', 'mcpServers')),
  ) as Record<string, unknown>;
  const plugin: Plugin = {
    name,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    root,
    commandDirectories: await sealed(commandPaths.filter((path) => !commandFiles.includes(path))),
    commandFiles: [
      ...commandFiles.map((path) => ({ name: basename(path, '.md'), path })),
      ...(await Promise.all(Object.entries(manifest.namedCommands).map(commandsOf))).flat(),
    ],
    agentDirectories: await sealed(
      await isMarkdownOrFolder('agents', await places('agents', manifest.agents)),
    ),
    skillDirectories: await skillFolders(),
    outputStyleDirectories: await isMarkdownOrFolder(
      'outputStyles',
      await places('output-styles', manifest.outputStyles),
    ),
    hooks: byEvent(await values(manifest.hooks, 'hooks/hooks.json', 'hooks')),
    mcpServers: Object.fromEntries(
      Object.entries(servers).map(([server, config]) => [server, serverConfig(config, root)]),
    ),
  };
  return { plugin, errors };
}

/** Hooks of several files for one event all run. */
function byEvent(found: readonly Record<string, unknown>[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const hooks of found)
    for (const [event, groups] of Object.entries(hooks)) {
      const before = merged[event];
      merged[event] = Array.isArray(before) && Array.isArray(groups) ? [...before, ...groups] : groups;
    }
  return merged;
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

export async function kindOf(path: string, files: PluginFiles) {
  return (await files.stat(path).catch(() => undefined))?.kind;
}

export async function textOf(file: string, files: PluginFiles): Promise<string> {
  const size = (await files.stat(file))?.size ?? 0;
  if (size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES / 1024} KB`);
  return new TextDecoder().decode(await files.readFile(file));
}
