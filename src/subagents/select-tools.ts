/** Which of a session's tools an agent gets. */
import type { AgentDefinition } from '../protocol/agent.ts';
import type { AnyTool } from '../protocol/tool.ts';

type Selection = Pick<AgentDefinition, 'tools' | 'disallowedTools'>;

export function selectTools(
  { tools, disallowedTools = [] }: Selection,
  all: readonly AnyTool[],
): readonly AnyTool[] {
  const names = tools?.includes('*') === true ? undefined : tools;
  if (names === undefined && disallowedTools.length === 0) return all;
  return all.filter(
    (tool) =>
      names?.some((name) => means(name, tool)) !== false &&
      !disallowedTools.some((name) => means(name, tool)),
  );
}

/** A name, an alias, `mcp__server`, `mcp__server__*` or `mcp__*`. A specifier behind the name is for permission rules. */
function means(given: string, tool: AnyTool): boolean {
  const name = given.replace(/\(.*\)$/s, '').trim();
  if (name === tool.name || tool.aliases?.includes(name) === true) return true;
  if (name === 'mcp__*') return tool.name.startsWith('mcp__');
  const server = /^mcp__(.+?)(?:__\*)?$/.exec(name)?.[1];
  return server !== undefined && tool.name.startsWith(`mcp__${server}__`);
}
