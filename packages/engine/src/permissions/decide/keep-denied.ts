/** What rules deny stays denied under the names that a command gives it. */
import { standingRule } from '../rules/path-rule.ts';
import { speaksOfFiles } from '../rules/permission-rule.ts';
import type { Case } from './evaluation.ts';
import { lookFrom } from './resolved-path.ts';
import { Steps } from './steps.ts';

/** Before something runs that may give files other names, what rules deny is looked for, once. */
export function keepDenied({ subject, state, context }: Case): void | Promise<void> {
  const { rules, standing, files } = state;
  if (standing === undefined || !(subject.target.kind === 'command' || subject.tool.startsWith('mcp__')))
    return;
  const specifiers = rules
    .of('deny')
    .flatMap(({ value }) => (speaksOfFiles(value) ? [value.ruleContent ?? ''] : []));
  if (!standing.lacks(specifiers)) return;
  // It has a bound of its own, which a session reaches once: the decision keeps all of its steps.
  const look = lookFrom(files, context.cwd, new Steps(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY));
  const read = (specifier: string) => standingRule(specifier, { ...context, ...look });
  const kinds = files.readKinds?.bind(files);
  return standing.collect(specifiers, read, { root: context.root, ...look, kinds });
}
