import { isPlainName } from '@turnwright/base/text/plain-name.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { leaderOfFamily, toolsOfFamily } from '../../protocol/tools/builtin-tools.ts';
import {
  type MatchedRule,
  MOST_RULE_CHARS,
  type PermissionBehavior,
  type PermissionRuleValue,
} from '../../protocol/tools/permission.ts';

export interface PermissionRule extends MatchedRule {
  readonly behavior: PermissionBehavior;
}

const RULE = /^\s*([A-Za-z0-9_*.-]+)\s*(?:\((.*)\))?\s*$/s;

/**
 * Reads `Tool` or `Tool(specifier)`. An empty specifier, `*` and `:*` mean the whole tool. Throws
 * `invalid_option` for anything else: an invalid rule must not be ignored silently. So is one that is too
 * long for its `behavior`.
 */
export function parseRule(text: string, behavior?: PermissionBehavior): PermissionRuleValue {
  if (text.length > MOST_RULE_CHARS && (behavior === 'allow' ? text.includes('*') : behavior !== undefined))
    throw new TurnwrightError(
      'invalid_option',
      `"${text.slice(0, 80)}…" is longer than the ${MOST_RULE_CHARS} characters that a permission rule may have: divide it, or write a pattern for it.`,
    );
  if (isPlainName(text, text.length)) return { toolName: text };
  const match = RULE.exec(text);
  const toolName = match?.[1];
  if (toolName === undefined) {
    throw new TurnwrightError(
      'invalid_option',
      `"${text}" is not a permission rule: write a tool name, or a name with a specifier, as in Bash(git status) or Read(src/**).`,
    );
  }
  const content = match?.[2]?.trim();
  return content === undefined || content === '' || content === '*' || content === ':*'
    ? { toolName }
    : { toolName, ruleContent: content };
}

/**
 * The built-in tools that read files, and those that write them, with the names of earlier versions: to
 * forbid a path to one of a family is to forbid it to all, and to the commands of the shell, wherever they
 * run.
 */
const READING_TOOLS = toolsOfFamily('read');
const WRITING_TOOLS = toolsOfFamily('write');

/** Whether a rule with a path, by its tool part, forbids reading. */
export const speaksOfReading = (ruleTool: string) => namesTool(ruleTool, READING_TOOLS);

/** The same of writing. */
export const speaksOfWriting = (ruleTool: string) => namesTool(ruleTool, WRITING_TOOLS);

/** Whether a rule with a specifier speaks of files, so that it holds for commands too. */
export function speaksOfFiles({ toolName, ruleContent }: PermissionRuleValue): boolean {
  return ruleContent !== undefined && (speaksOfReading(toolName) || speaksOfWriting(toolName));
}

/**
 * Which rule with a path allows reading, or writing, to all tools of the family and to commands: the one that
 * names the first of it. The others allow it to the tool that they name.
 */
export const allowsFamily = (ruleTool: string, kind: 'read' | 'write'): boolean =>
  ruleTool === leaderOfFamily(kind);

/**
 * Whether a rule's tool part names this tool: its name, an alias, `mcp__server` for every tool of the server,
 * or a trailing `*`.
 */
export function namesTool(ruleTool: string, names: readonly string[]): boolean {
  if (ruleTool === '*' || names.includes(ruleTool)) return true;
  if (ruleTool.endsWith('*')) return names.some((name) => name.startsWith(ruleTool.slice(0, -1)));
  return /^mcp__[^_](?:(?!__).)*$/.test(ruleTool) && names.some((name) => name.startsWith(`${ruleTool}__`));
}
