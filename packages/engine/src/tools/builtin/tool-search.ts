import { extended } from '@turnwright/base/collections/extended.ts';
import { TOOL_SEARCH_TOOL } from '../../protocol/tools/builtin-tools.ts';
import type { Tool } from '../../protocol/tools/tool.ts';
import { createParser } from '../schema/from-json-schema.ts';

export interface SearchableTool {
  readonly name: string;
  readonly description: string;
  readonly hint: string;
  /** Not part of the next request. */
  readonly deferred: boolean;
}

interface ToolSearchPort {
  /** All available tools; loaded ones are included, so that selecting one is not an error. */
  tools(): Promise<readonly SearchableTool[]>;
  load(names: readonly string[]): void;
}

interface ToolSearchInput {
  readonly query: string;
  readonly max_results?: number;
}

interface ToolSearchOutput {
  /** Names of the loaded tools. */
  readonly matches: readonly string[];
  readonly query: string;
  readonly total_deferred_tools: number;
}

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20;

const schema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      minLength: 1,
      description: '"select:A,B" loads these tools; other words search names and descriptions.',
    },
    max_results: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_RESULTS,
      description: `Of a search. Default ${DEFAULT_RESULTS}.`,
    },
  },
  required: ['query'],
  additionalProperties: false,
};

/** Shared by all sessions: each creates this tool, and few offer it. */
const COMMON: Omit<Tool<ToolSearchInput, ToolSearchOutput>, 'run'> = {
  name: TOOL_SEARCH_TOOL,
  inputJsonSchema: schema,
  description: () =>
    `Loads tools that are known to you by name only. Once loaded, a tool is among your tools from your next answer on and stays there.

- query "select:mcp__github__list_issues,mcp__github__get_issue" loads exactly these.
- Any other query is searched for: "github issues" loads the tools whose names and descriptions fit best.
- Load all the tools of a task with one call.`,
  parse: createParser<ToolSearchInput>(schema),
  isConcurrencySafe: () => true,
  isReadOnly: () => true,
  effectClass: () => 'idempotent',
  permissionTarget: () => ({ kind: 'none' }),
};

export function createToolSearchTool(port: ToolSearchPort): Tool<ToolSearchInput, ToolSearchOutput> {
  return extended(COMMON, {
    async run({ query, max_results: max = DEFAULT_RESULTS }: ToolSearchInput) {
      const tools = await port.tools();
      const selected = /^\s*select:(.*)$/is.exec(query)?.[1];
      const { found, unknown } =
        selected === undefined
          ? {
              found: search(
                tools.filter((tool) => tool.deferred),
                query,
                max,
              ),
              unknown: [],
            }
          : select(tools, selected);
      const matches = found.map(({ name }) => name);
      const fresh = found.filter(({ deferred }) => deferred).map(({ name }) => name);
      port.load(fresh);
      const known = matches.filter((name) => !fresh.includes(name));
      const said = [
        fresh.length > 0 &&
          `Loaded: ${fresh.join(', ')}. Call them like any other tool from your next answer on.`,
        known.length > 0 && `Among your tools already: ${known.join(', ')}.`,
        unknown.length > 0 && `There is no tool named ${unknown.join(', ')}.`,
        matches.length === 0 && unknown.length === 0 && 'No tool that can be loaded fits these words.',
      ].filter((line) => line !== false);
      return {
        data: { matches, query, total_deferred_tools: tools.filter(({ deferred }) => deferred).length },
        content:
          fresh.length === 0
            ? said.join('\n')
            : [
                { type: 'text' as const, text: said.join('\n') },
                ...fresh.map((tool_name) => ({ type: 'tool_reference' as const, tool_name })),
              ],
        ...(matches.length === 0 && { isError: unknown.length > 0 }),
      };
    },
  });
}

function select(tools: readonly SearchableTool[], list: string) {
  const wanted = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const found: SearchableTool[] = [];
  const unknown: string[] = [];
  for (const name of new Set(wanted)) {
    const tool =
      tools.find((each) => each.name === name) ??
      tools.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (tool === undefined) unknown.push(name);
    else if (!found.includes(tool)) found.push(tool);
  }
  return { found, unknown };
}

/** Matches in the name count most, then in the hint, then in the description; ties are sorted by name. */
function search(tools: readonly SearchableTool[], query: string, max: number): readonly SearchableTool[] {
  const words = splitWords(query);
  const scored = tools.map((tool) => {
    const name = splitWords(tool.name);
    const hint = splitWords(tool.hint);
    const description = tool.description.toLowerCase();
    let score = 0;
    for (const word of words) {
      if (name.includes(word)) score += 8;
      else if (name.some((part) => part.includes(word))) score += 4;
      if (hint.includes(word)) score += 4;
      if (description.includes(word)) score += 1;
    }
    return { tool, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .slice(0, max)
    .map(({ tool }) => tool);
}

function splitWords(text: string): readonly string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
