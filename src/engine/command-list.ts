/** The commands of a session, in the order in which a name is looked up. */
import type { Command } from '../protocol/command.ts';
import { compactCommand } from './compact-command.ts';
import type { QueryEngineConfig } from './config.ts';

/** What every session has. */
const BUILTIN: readonly Command[] = [compactCommand];

/**
 * The host's commands, the engine's, then those of the sources: the first that has a name owns it, so that a
 * repository's file never takes the place of what the engine or the host calls by that name.
 */
export function commandsOf(
  { commands = [], commandSources = [] }: Pick<QueryEngineConfig, 'commands' | 'commandSources'>,
  more: readonly Command[] = [],
): readonly Command[] {
  const taken = new Set<string>();
  const own = [...commands, ...BUILTIN, ...commandSources.flatMap((source) => source.commands), ...more];
  return own.filter(({ name, aliases = [] }) => {
    if (taken.has(name)) return false;
    for (const word of [name, ...aliases]) taken.add(word);
    return true;
  });
}

/** Reads what the sources have to read. Never rejects; afterwards the list is from what is at hand (L1 phase 4). */
export async function loadCommands({
  commandSources = [],
}: Pick<QueryEngineConfig, 'commandSources'>): Promise<void> {
  if (commandSources.length > 0) await Promise.all(commandSources.map((source) => source.load?.()));
}
