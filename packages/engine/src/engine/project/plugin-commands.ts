/** The command files of plugins, `/plugin:name`; a reload of the plugins reads them anew. */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { parseCommandFile } from '../../commands/command-file.ts';
import { type CommandFilesOptions, commandFiles } from '../../commands/command-files.ts';
import { fileCommand } from '../../commands/file-command.ts';
import type { PluginCommand } from '../../plugins/loaded-plugin.ts';
import type { Command, CommandSource } from '../../protocol/tools/command.ts';
import type { Plugin, PluginSetup } from './plugins.ts';

const MAX_BYTES = 128 * 1024;

export function pluginCommands(
  setup: Pick<PluginSetup, 'plugins'>,
  common: Pick<CommandFilesOptions, 'files' | 'warn' | 'unread'>,
): CommandSource {
  let from: readonly Plugin[] | undefined;
  let loading: Promise<void> = Promise.resolve();
  const load = async (plugins: readonly Plugin[]) => {
    const sources = plugins.flatMap(({ name, root, commandDirectories: folders }) =>
      folders.length === 0
        ? []
        : [
            commandFiles({
              ...common,
              name: `commands of ${name}`,
              folders,
              origin: 'plugin',
              trusted: true,
              prefix: name,
              places: { CLAUDE_PLUGIN_ROOT: root },
            }),
          ],
    );
    const [named] = await Promise.all([
      Promise.all(
        plugins.flatMap((plugin) => plugin.commandFiles.map((file) => namedCommand(file, plugin, common))),
      ),
      ...sources.map((each) => each.load?.()),
    ]);
    source.commands = [
      ...sources.flatMap(({ commands }) => commands),
      ...named.flatMap((each) => each ?? []),
    ];
  };
  const source: Writable<CommandSource> = {
    name: 'plugin commands',
    commands: [],
    load() {
      if (from !== setup.plugins) {
        from = setup.plugins;
        loading = load(from);
      }
      return loading;
    },
  };
  return source;
}

/** A command that a manifest names. undefined: its file cannot be read, which is said. */
async function namedCommand(
  { name, path, text, ...said }: PluginCommand,
  plugin: Plugin,
  { files, warn, unread }: Pick<CommandFilesOptions, 'files' | 'warn' | 'unread'>,
): Promise<Command | undefined> {
  const full = `${plugin.name}:${name}`;
  try {
    const written = text ?? new TextDecoder().decode(await files.readRange(path, 0, MAX_BYTES));
    const { file, problem } = await parseCommandFile(full, path, written, unread);
    if (problem !== undefined) warn(`${path}: ${problem}; it was passed over.`);
    return fileCommand({ ...file, ...said }, { origin: 'plugin', trusted: true });
  } catch (error) {
    warn(`/${full} was passed over: ${path} cannot be read: ${errorText(error)}.`);
    return undefined;
  }
}
