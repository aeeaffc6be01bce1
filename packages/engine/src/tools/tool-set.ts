import { isPlainName } from '@turnwright/base/text/plain-name.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { AnyTool } from '../protocol/tools/tool.ts';

/** The tools of a session by name or alias; a name takes precedence over another tool's alias. */
export interface ToolSet {
  readonly all: readonly AnyTool[];
  find(name: string): AnyTool | undefined;
}

const MOST_NAME_CHARS = 128;

/**
 * Throws `invalid_option` for a name that the API would refuse, or a duplicate, which would make every
 * request fail.
 */
export function createToolSet(tools: readonly AnyTool[]): ToolSet {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) {
    if (!isPlainName(tool.name, MOST_NAME_CHARS)) {
      throw new TurnwrightError(
        'invalid_option',
        `"${tool.name}" cannot be a tool's name: 1 to 128 letters, digits, "_" and "-" are allowed.`,
      );
    }
    if (byName.has(tool.name))
      throw new TurnwrightError('invalid_option', `Two tools are named "${tool.name}".`);
    byName.set(tool.name, tool);
  }
  for (const tool of tools) {
    for (const alias of tool.aliases ?? []) if (!byName.has(alias)) byName.set(alias, tool);
  }
  return { all: [...tools], find: (name) => byName.get(name) };
}
