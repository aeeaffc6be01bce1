import type { PermissionRuleValue } from '../protocol/permission.ts';
import type { EngineParts } from './parts.ts';

/** Allows these for one submission (a command's `allowedTools`). Returns what takes it back. */
export function allowForSubmission(
  rules: readonly string[],
  parts: Pick<EngineParts, 'config' | 'permissions'>,
): () => void {
  // A rule that holds anyway must survive the submission.
  const standing = new Set(parts.config.allowRules ?? []);
  const added = rules.filter((rule) => !standing.has(rule)).map(ruleValue);
  const change = (type: 'addRules' | 'removeRules') =>
    parts.permissions.apply([{ type, rules: added, behavior: 'allow', destination: 'session' }]);
  if (added.length === 0) return () => {};
  change('addRules');
  return () => change('removeRules');
}

/** `Tool` or `Tool(specifier)`. */
function ruleValue(rule: string): PermissionRuleValue {
  const match = /^([^(]+)\(([\s\S]*)\)$/.exec(rule.trim());
  return match === null
    ? { toolName: rule.trim() }
    : { toolName: match[1] ?? '', ruleContent: match[2] ?? '' };
}
