import { leaderOfFamily } from '../../protocol/tools/builtin-tools.ts';
import type { PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import { type DiskReader, lookFrom } from '../decide/resolved-path.ts';
import { TooManySteps } from '../decide/steps.ts';
import { createSubject } from '../decide/subject.ts';
import { matchRule } from './match-rule.ts';
import { namesTool, parseRule } from './permission-rule.ts';

interface RuleTestOptions {
  readonly files: DiskReader;
  /** What `~/` means in a rule. */
  readonly home: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/**
 * Whether a rule may match a call, by the broad matching of deny rules: any piece of a command, any spelling
 * of a path. For callers that use rules to select calls, not to permit them. Throws `invalid_option` for an
 * invalid rule.
 */
export function ruleTest(
  rule: string,
  options: RuleTestOptions,
): (question: PermissionQuestion) => Promise<boolean> {
  const value = parseRule(rule);
  const { home, files } = options;
  const ignoreCase = options.ignoreCase ?? (process.platform === 'darwin' || process.platform === 'win32');
  return async (question) => {
    const look = lookFrom(files, question.cwd);
    const subject = createSubject(question, look.resolve);
    // Of tools for files only the leaders of their families apply to others than the named one.
    const kind = (['read', 'write'] as const).find((family) => value.toolName === leaderOfFamily(family));
    const { kind: touched } = subject.target;
    if (!namesTool(value.toolName, subject.names) && touched !== kind && touched !== 'command') return false;
    const context = {
      cwd: question.cwd,
      root: question.root ?? question.cwd,
      home,
      ignoreCase,
      ...look,
    };
    try {
      return (await matchRule({ behavior: 'deny', source: 'session', value }, subject, context)) !== 'no';
    } catch (error) {
      if (error instanceof TooManySteps) return true;
      throw error;
    }
  };
}
