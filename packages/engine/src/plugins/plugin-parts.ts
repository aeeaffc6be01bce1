/** The parts of one plugin, as plain data. Errors are reported, and nothing outside its folder is read. */
import { basename, dirname } from 'node:path';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PluginConfig } from '../protocol/tools/plugin.ts';
import { PLUGIN_ROOT, type Plugin, type PluginCommand, type PluginError } from './loaded-plugin.ts';
import type { Manifest, NamedCommand } from './manifest.ts';
import { type PluginFiles, PluginFolder } from './plugin-folder.ts';

const SKILL_FILE = 'SKILL.md';

/** Reads what the manifest names, and the default places. Never rejects for what it finds there. */
export async function readPluginParts(
  name: string,
  root: string,
  { skipMcpDiscovery }: PluginConfig,
  manifest: Manifest,
  files: PluginFiles,
): Promise<{ readonly plugin: Plugin; readonly errors: readonly PluginError[] }> {
  const folder = new PluginFolder(name, root, files);
  for (const problem of manifest.problems)
    folder.report('manifest-validation-error', `The manifest of ${name}: ${problem}.`);
  const commandPlaces = await folder.places('commands', manifest.commands);
  const commandPaths = await folder.markdownAndFolders('commands', commandPlaces);
  const commandFiles = await folder.filesAmong('commands', commandPaths);
  const servers = Object.assign(
    {},
    ...(skipMcpDiscovery === true
      ? []
      : await folder.readValues(manifest.mcpServers, '.mcp.json', 'mcpServers')),
  ) as Record<string, unknown>;
  const { version, description } = manifest;
  const plugin: Plugin = {
    name,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    root,
    commandDirectories: await folder.sealed(commandPaths.filter((path) => !commandFiles.includes(path))),
    commandFiles: [
      ...commandFiles.map((path) => ({ name: basename(path, '.md'), path })),
      ...(await namedCommands(manifest, folder)),
    ],
    agentDirectories: await folder.sealed(
      await folder.markdownAndFolders('agents', await folder.places('agents', manifest.agents)),
    ),
    skillDirectories: await skillFolders(manifest, folder),
    outputStyleDirectories: await folder.markdownAndFolders(
      'outputStyles',
      await folder.places('output-styles', manifest.outputStyles),
    ),
    hooks: byEvent(await folder.readValues(manifest.hooks, 'hooks/hooks.json', 'hooks')),
    mcpServers: serverConfigs(servers, root),
    lspServers: serverConfigs(
      Object.assign({}, ...(await folder.readValues(manifest.lspServers, '.lsp.json', 'lspServers'))),
      root,
    ),
  };
  return { plugin, errors: folder.errors };
}

async function namedCommands(
  { namedCommands: named }: Manifest,
  folder: PluginFolder,
): Promise<readonly PluginCommand[]> {
  const commands = Object.entries(named).map(([name, command]) => namedCommand(name, command, folder));
  return (await Promise.all(commands)).flat();
}

async function namedCommand(
  name: string,
  { source, content, ...fields }: NamedCommand,
  folder: PluginFolder,
): Promise<readonly PluginCommand[]> {
  if (source === undefined)
    return [{ ...fields, name, path: folder.root, ...(content !== undefined && { text: content }) }];
  const path = await folder.inside(source, true);
  return path === undefined ? [] : [{ ...fields, name, path }];
}

/** The default folder, the plugin's own if it is a skill, and the named ones, with or without SKILL.md. */
async function skillFolders({ skills }: Manifest, folder: PluginFolder): Promise<readonly string[]> {
  const own = (await folder.inside(SKILL_FILE, false)) === undefined ? [] : [folder.root];
  const others = (await folder.named(skills)).map((path) =>
    basename(path) === SKILL_FILE ? dirname(path) : path,
  );
  return [...new Set([...(await folder.places('skills', undefined)), ...own, ...others])];
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

const serverConfigs = (servers: Readonly<Record<string, unknown>>, root: string) =>
  Object.fromEntries(Object.entries(servers).map(([server, config]) => [server, serverConfig(config, root)]));

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
