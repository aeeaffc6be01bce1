/** The commands of a session, in the order in which a name is looked up. */
import { BUILTIN_COMMANDS } from '../../commands/builtin/index.ts';
import type { Command } from '../../protocol/command.ts';
import type { SDKCommandsChanged, SlashCommandInfo } from '../../protocol/sdk-messages.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { EngineParts } from '../session/session-parts.ts';

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
  // Nobody else has any: no name is taken twice.
  if (own.length === BUILTIN_COMMANDS.length) return BUILTIN_COMMANDS;
  const taken = new Set<string>();
  return own.filter(({ name, aliases = [] }) => {
    if (taken.has(name)) return false;
    for (const word of [name, ...aliases]) taken.add(word);
    return true;
  });
}

/** Reads what the sources have to read. Never rejects; afterwards the list is from what is at hand (L1 phase 4). */
export async function loadCommands({
  commandSources = [],
  disableSlashCommands,
}: Pick<QueryEngineConfig, 'commandSources' | 'disableSlashCommands'>): Promise<void> {
  if (disableSlashCommands !== true && commandSources.length > 0)
    await Promise.all(commandSources.map((source) => source.load?.()));
}

/** As hosts are told. */
export function commandList(
  config: QueryEngineConfig,
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

/** Announced when the list is another than hosts know: at first they know all but the prompts of MCP servers. */
export function commandsChanged(parts: EngineParts): readonly SDKCommandsChanged[] {
  const { config, memory, mcp, ids, sessionId } = parts;
  if (mcp.commands.length === 0 && memory.commandsTold === undefined) return [];
  const known = memory.commandsTold ?? commandsKey(config);
  memory.commandsTold = commandsKey(config, mcp.commands);
  if (known === memory.commandsTold) return [];
  const commands = commandList(config, mcp.commands);
  return [{ type: 'system', subtype: 'commands_changed', commands, uuid: ids.uuid(), session_id: sessionId }];
}

/** Looks for skills again, which are commands too; those that a user may call. */
export async function reloadSkills(parts: EngineParts): Promise<readonly SlashCommandInfo[]> {
  const { announcer, config, mcp, memory, skills } = parts;
  memory.commandsTold ??= commandsKey(config, mcp.commands);
  const found = await skills.reload();
  for (const message of commandsChanged(parts)) announcer.say(message);
  return found;
}

/** The same for equal lists. */
function commandsKey(config: QueryEngineConfig, more: readonly Command[] = []): string {
  return JSON.stringify(commandList(config, more));
}
