/** What the rules are held against: made of a question, and of its command. */
import type { PermissionQuestion } from '../../protocol/tools/gate.ts';
import type { CommandCase } from '../rules/command-case.ts';
import { speaksOfFiles } from '../rules/forbidden-path.ts';
import type { PermissionRule } from '../rules/rule.ts';
import { type Case, outsideOf, type PermissionState } from './evaluation.ts';
import { linkedGrants } from './protected-path.ts';
import { lookFrom } from './real-path.ts';
import { subjectOf } from './subject.ts';

export function caseOf(question: PermissionQuestion, state: PermissionState): Case {
  const look = lookFrom(state.files, question.cwd);
  const subject = subjectOf(question, look.resolve);
  const { cwd, root = cwd, ownDirectories: own = [] } = question;
  const context = {
    cwd,
    root,
    home: state.home,
    ignoreCase: state.ignoreCase,
    ...look,
    protection: { own, linked: () => linkedGrants(roots, look), ...state.protection },
  };
  const roots: readonly string[] = [root, ...question.additionalDirectories, ...state.directories, ...own];
  return { subject, state, context, roots, own };
}

/** The command of a case, for the allow rules that are to be considered. */
export function commandCase(
  each: Case,
  allow: readonly PermissionRule[],
  acceptsEdits: boolean,
): CommandCase {
  const { subject, context, state, roots } = each;
  return {
    subject,
    context,
    allow,
    files: state.files,
    acceptsEdits,
    roots,
    hasPathRules: [...state.rules.of('deny'), ...state.rules.of('ask')].some(({ value }) =>
      speaksOfFiles(value),
    ),
    outside: (kind, paths) => outsideOf(kind, paths, each),
  };
}
