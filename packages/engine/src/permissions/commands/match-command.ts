import type { Subject } from '../decide/subject.ts';
import { type Match, stronger } from '../rules/match.ts';
import type { PathRuleContext } from '../rules/path-rule.ts';
import { namesTool, type PermissionRule } from '../rules/permission-rule.ts';
import { allowsCommand } from './command-rule.ts';
import { forbidsCommand } from './forbidden-command.ts';
import { forbidsCommandPath } from './forbidden-path.ts';

/** Whether a rule with a specifier matches this command; see `matchRule`. */
export async function matchCommand(
  rule: PermissionRule,
  command: string,
  subject: Subject,
  context: PathRuleContext,
): Promise<Match> {
  const { toolName, ruleContent: specifier } = rule.value;
  const { steps } = context;
  await steps.pause();
  const opened = await forbidsCommandPath(rule, subject, context);
  if (specifier === undefined || !namesTool(toolName, subject.names)) return opened;
  const line = await subject.line();
  if (rule.behavior === 'allow') return allowsCommand(specifier, line, steps.take) ? 'yes' : 'no';
  return stronger(opened, forbidsCommand(specifier, command, line, steps.take));
}
