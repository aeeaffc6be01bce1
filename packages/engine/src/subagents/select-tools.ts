/** The tools of a session that an agent gets. */
import { TurnwrightError } from '../protocol/errors.ts';
import type { AgentDefinition, AgentLimits } from '../protocol/tools/agent.ts';
import type { AnyTool } from '../protocol/tools/tool.ts';

type Selection = Pick<AgentDefinition, 'tools' | 'disallowedTools' | 'mcpServers' | 'skills' | 'memory'>;

export function selectTools(selection: Selection, all: readonly AnyTool[]): readonly AnyTool[] {
  const { tools, disallowedTools = [] } = selection;
  const names = tools === undefined || tools.includes('*') ? undefined : [...tools, ...implied(selection)];
  if (names === undefined && disallowedTools.length === 0) return all;
  return all.filter(
    (tool) =>
      names?.some((name) => means(name, tool)) !== false &&
      !disallowedTools.some((name) => means(name, tool)),
  );
}

/** What is kept of a definition, so that a later run of its agent is allowed no more. */
export function describeLimits(definition: AgentDefinition): AgentLimits {
  const { tools, disallowedTools, permissionMode, skills, memory, mcpServers } = definition;
  const servers = mcpServers && serverNames(mcpServers);
  return { tools, disallowedTools, permissionMode, skills, memory, mcpServers: servers };
}

/**
 * Throws `invalid_option` for an agent whose list names no tool that there is: it would answer without having
 * looked at anything. Servers may bring theirs later, and an empty list is meant.
 */
export function refuseWithoutTools(
  {
    name,
    tools = [],
    mcpServers = [],
    from,
  }: Pick<AgentDefinition, 'name' | 'tools' | 'mcpServers' | 'from'>,
  isThere: (tool: string) => boolean,
): void {
  const isOpen = tools.length === 0 || tools.includes('*') || mcpServers.length > 0;
  if (isOpen || tools.some((tool) => tool.startsWith('mcp__') || isThere(bareName(tool)))) return;
  throw new TurnwrightError(
    'invalid_option',
    `The agent "${name}" would have no tools: its list names ${tools.join(', ')}, and none of them is there. Correct "tools"${from?.path === undefined ? '' : ` in ${from.path}`}.`,
  );
}

/** Without a specifier, which is for permission rules. */
export function bareName(tool: string): string {
  return tool.replace(/\(.*\)$/s, '').trim();
}

/** Tools that other fields of the definition require. */
function implied({ mcpServers = [], skills = [], memory }: Selection): readonly string[] {
  return [
    ...serverNames(mcpServers).map((name) => `mcp__${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`),
    ...(skills.length > 0 ? ['Skill'] : []),
    ...(memory === undefined ? [] : ['Read', 'Write', 'Edit']),
  ];
}

function serverNames(servers: NonNullable<AgentDefinition['mcpServers']>): readonly string[] {
  return servers.flatMap((server) => (typeof server === 'string' ? [server] : Object.keys(server)));
}

/**
 * A name, an alias, `mcp__server`, `mcp__server__*` or `mcp__*`. A specifier behind the name is ignored: it
 * is for permission rules.
 */
function means(given: string, tool: AnyTool): boolean {
  const name = bareName(given);
  if (name === tool.name || tool.aliases?.includes(name) === true) return true;
  if (name === 'mcp__*') return tool.name.startsWith('mcp__');
  const server = /^mcp__(.+?)(?:__\*)?$/.exec(name)?.[1];
  return server !== undefined && tool.name.startsWith(`mcp__${server}__`);
}
