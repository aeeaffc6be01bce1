/** The command files of plugins, `/plugin:name`; a reload of the plugins reads them anew. */
import { commandFiles } from '../../commands/command-files.ts';
import type { Command, CommandSource } from '../../protocol/command.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { Plugin, PluginSetup } from './plugins.ts';

export function pluginCommands(
  setup: Pick<PluginSetup, 'plugins'>,
  files: PersistentFiles,
  warn: (line: string) => void,
): CommandSource {
  let from: readonly Plugin[] | undefined;
  let sources: readonly CommandSource[] = [];
  let commands: readonly Command[] = [];
  let loading: Promise<void> = Promise.resolve();
  const load = async (plugins: readonly Plugin[]) => {
    sources = plugins.flatMap(({ name, commandDirectories: folders }) =>
      folders.length === 0
        ? []
        : [
            commandFiles({
              name: `commands of ${name}`,
              folders,
              files,
              origin: 'plugin',
              trusted: true,
              prefix: name,
              warn,
            }),
          ],
    );
    await Promise.all(sources.map((source) => source.load?.()));
    commands = sources.flatMap((source) => source.commands);
  };
  return {
    name: 'plugin commands',
    load() {
      if (from !== setup.plugins) {
        from = setup.plugins;
        loading = load(from);
      }
      return loading;
    },
    get commands() {
      return commands;
    },
  };
}
