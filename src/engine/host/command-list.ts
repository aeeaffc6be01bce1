/** The commands of a session, in the order in which a name is looked up. */
import { BUILTIN_COMMANDS } from '../../commands/builtin.ts';
import type { SlashCommandInfo } from '../../protocol/stream/session-messages.ts';
import type { Command } from '../../protocol/tools/command.ts';
import type { QueryEngineConfig } from '../config.ts';

/**
 * The host's commands, the engine's, then those of the sources: the first that has a name owns it, so that a
 * repository's file never takes the place of what the engine or the host calls by that name.
 */
export function commandsOf(
  {
    commands = [],
    commandSources = [],
    disableSlashCommands,
  }: Pick<QueryEngineConfig, 'commands' | 'commandSources' | 'disableSlashCommands'>,
  more: readonly Command[] = [],
): readonly Command[] {
  if (disableSlashCommands === true) return [];
  const own = [
    ...commands,
    ...BUILTIN_COMMANDS,
    ...commandSources.flatMap((source) => source.commands),
    ...more,
  ];
  // There are no other commands, so no name can occur twice.
  if (own.length === BUILTIN_COMMANDS.length) return BUILTIN_COMMANDS;
  const taken = new Set<string>();
  return own.filter(({ name, aliases = [] }) => {
    if (taken.has(name)) return false;
    for (const word of [name, ...aliases]) taken.add(word);
    return true;
  });
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

/** The commands in the form of the SDK. */
export function commandList(
  config: Parameters<typeof commandsOf>[0],
  more: readonly Command[] = [],
): readonly SlashCommandInfo[] {
  return commandsOf(config, more).map(({ name, description, argumentHint = '', aliases, origin }) => ({
    name,
    description,
    argumentHint,
    ...(aliases !== undefined && { aliases }),
    ...(origin === 'builtin' && { builtin: true as const }),
  }));
}
