import type { PermissionQuestion } from '../protocol/gate.ts';
import { matchesRule } from './match-rule.ts';
import { lookFrom, type PathReader } from './real-path.ts';
import { parseRule } from './rule.ts';
import { subjectOf } from './subject.ts';

export interface RuleTestOptions {
  readonly files: PathReader;
  /** What `~/` means in a rule. */
  readonly home: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/**
 * Whether a rule might mean a call, by the broad reading of rules that forbid: any piece of a command, any spelling of
 * a path. For those who use rules to choose calls, not to judge them. Throws `invalid_option` for what is no rule.
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
    return matchesRule({ behavior: 'deny', source: 'session', value }, subjectOf(question, look.resolve), {
      cwd: question.cwd,
      root: question.root ?? question.cwd,
      home,
      ignoreCase,
      ...look,
    });
  };
}
