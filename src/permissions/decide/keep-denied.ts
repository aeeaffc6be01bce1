/** What rules deny stays denied under the names that a command gives it. */
import { standingRule } from '../rules/path-rule.ts';
import { speaksOfFiles } from '../rules/rule.ts';
import type { Case } from './evaluation.ts';

/** Before something runs that may give files other names, what rules deny is looked for, once. */
export function keepDenied({ subject, state: { rules, standing }, context }: Case): void | Promise<void> {
  if (standing === undefined || !(subject.target.kind === 'command' || subject.tool.startsWith('mcp__')))
    return;
  const specifiers = rules
    .of('deny')
    .flatMap(({ value }) => (speaksOfFiles(value) ? [value.ruleContent ?? ''] : []));
  if (!standing.lacks(specifiers)) return;
  return standing.collect(specifiers, (specifier) => standingRule(specifier, context), context);
}
