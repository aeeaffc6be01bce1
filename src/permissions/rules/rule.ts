import { TurnwrightError } from '../../protocol/errors.ts';
import type {
  MatchedRule,
  PermissionBehavior,
  PermissionRuleValue,
} from '../../protocol/tools/permission.ts';
import { isPlainName } from '../../util/text/plain-name.ts';

export interface PermissionRule extends MatchedRule {
  readonly behavior: PermissionBehavior;
}

const RULE = /^\s*([A-Za-z0-9_*.-]+)\s*(?:\((.*)\))?\s*$/s;

/**
 * Reads `Tool` or `Tool(specifier)`. An empty specifier, `*` and `:*` mean the whole tool. Throws
 * `invalid_option` for anything else: an invalid rule must not be ignored silently.
 */
export function parseRule(text: string): PermissionRuleValue {
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

/** The rule as a person writes it. */
export function formatRule(value: PermissionRuleValue): string {
  return value.ruleContent === undefined ? value.toolName : `${value.toolName}(${value.ruleContent})`;
}

/**
 * Whether a rule's tool part names a built-in tool that reads files: to forbid a path to one is to forbid it
 * to all.
 */
export const speaksOfReading = (ruleTool: string) =>
  namesTool(ruleTool, ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead']);

/** The same of those that write files. */
export const speaksOfWriting = (ruleTool: string) =>
  namesTool(ruleTool, ['Edit', 'Write', 'NotebookEdit', 'MultiEdit']);

/**
 * Whether a rule's tool part names this tool: its name, an alias, `mcp__server` for every tool of the server,
 * or a trailing `*`.
 */
export function namesTool(ruleTool: string, names: readonly string[]): boolean {
  if (ruleTool === '*' || names.includes(ruleTool)) return true;
  if (ruleTool.endsWith('*')) return names.some((name) => name.startsWith(ruleTool.slice(0, -1)));
  return /^mcp__[^_](?:(?!__).)*$/.test(ruleTool) && names.some((name) => name.startsWith(`${ruleTool}__`));
}
