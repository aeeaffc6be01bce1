/** The command files of plugins, `/plugin:name`; a reload of the plugins reads them anew. */
import { type CommandFilesOptions, commandFiles } from '../../commands/command-files.ts';
import type { CommandSource } from '../../protocol/tools/command.ts';
import type { Writable } from '../../util/collections/writable.ts';
import type { Plugin, PluginSetup } from './plugins.ts';

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
    await Promise.all(sources.map((each) => each.load?.()));
    source.commands = sources.flatMap(({ commands }) => commands);
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
