/** The commands of a session, in the order in which a name is looked up. */
import { BUILTIN_COMMANDS } from '../../commands/builtin.ts';
import type { SlashCommandInfo } from '../../protocol/stream/session-messages.ts';
import type { Command, CommandOrigin } from '../../protocol/tools/command.ts';
import type { QueryEngineConfig } from '../config.ts';

/** Files may take the place of a built-in command, as those of the user or of a trusted project. */
const MAY_OVERRIDE: ReadonlySet<CommandOrigin> = new Set<CommandOrigin>(['user', 'project', 'skill']);

/**
 * The host's commands, then those of the sources, the engine's last where a source has their name: the first
 * that has a name owns it. A file owns its name also where the engine has another command or alias by it.
 */
export function collectCommands(
  {
    commands = [],
    commandSources = [],
    disableSlashCommands,
  }: Pick<QueryEngineConfig, 'commands' | 'commandSources' | 'disableSlashCommands'>,
  more: readonly Command[] = [],
): readonly Command[] {
  if (disableSlashCommands === true) return [];
  const ofSources = commandSources.flatMap((source) => source.commands);
  // There are no other commands, so no name can occur twice.
  if (commands.length + ofSources.length + more.length === 0) return BUILTIN_COMMANDS;
  const overriding = new Set(ofSources.flatMap((command) => (mayOverride(command) ? [command.name] : [])));
  const taken = new Set<string>();
  const own: Command[] = [];
  for (const command of [...commands, ...BUILTIN_COMMANDS, ...ofSources, ...more]) {
    const { name, origin } = command;
    const isBuiltIn = origin === 'builtin';
    if (taken.has(name) || (isBuiltIn && overriding.has(name))) continue;
    const givesWay = isBuiltIn || origin === 'skill';
    const aliases = command.aliases?.filter(
      (alias) => !taken.has(alias) && !(givesWay && overriding.has(alias)),
    );
    for (const word of [name, ...(aliases ?? [])]) taken.add(word);
    own.push(aliases?.length === command.aliases?.length ? command : { ...command, aliases });
  }
  return own;
}

const mayOverride = ({ origin, isTrusted = true }: Command): boolean =>
  origin !== undefined && MAY_OVERRIDE.has(origin) && isTrusted;

/** The built-in command in whose place a command of a file stands, by name or alias. */
function overriddenBy(command: Command): Command | undefined {
  if (!mayOverride(command)) return undefined;
  return BUILTIN_COMMANDS.find(
    ({ name, aliases = [] }) => name === command.name || aliases.includes(command.name),
  );
}

/**
 * Reads what the sources have to read. Never rejects; afterwards the list is from what is at hand (L1 phase
 * 4).
 */
export async function loadCommands({
  commandSources = [],
  disableSlashCommands,
}: Pick<QueryEngineConfig, 'commandSources' | 'disableSlashCommands'>): Promise<void> {
  if (disableSlashCommands !== true && commandSources.length > 0)
    await Promise.all(commandSources.map((source) => source.load?.()));
}

const overrides = ({ name, origin }: Command): string => `${origin}, in place of the built-in /${name}`;

/** A name that another command had before is not shown. */
function shownNames({ name, aliases, shownAs }: Command): Pick<Command, 'name' | 'aliases'> {
  if (shownAs === undefined || aliases?.includes(shownAs) !== true) return { name, aliases };
  return { name: shownAs, aliases: [name, ...aliases.filter((alias) => alias !== shownAs)] };
}

/** The commands in the form of the SDK. */
export function commandList(
  config: Parameters<typeof collectCommands>[0],
  more: readonly Command[] = [],
): readonly SlashCommandInfo[] {
  return collectCommands(config, more).map((command) => {
    const { description, argumentHint = '', isTrusted, origin } = command;
    const { name, aliases } = shownNames(command);
    return {
      name,
      description:
        overriddenBy(command) === undefined ? description : `${description} (${overrides(command)})`,
      argumentHint,
      ...(aliases !== undefined && aliases.length > 0 && { aliases }),
      ...(origin === 'builtin' && { builtin: true as const }),
      ...(isTrusted === false && { untrusted: true as const }),
    };
  });
}
