/** What the rules are held against: made of a question. */
import type { PermissionQuestion } from '../../protocol/tools/gate.ts';
import { lazily } from '../../util/async/lazily.ts';
import type { Case, PermissionState } from './evaluation.ts';
import { linkedGrants } from './protected-path.ts';
import { lookFrom } from './real-path.ts';
import { mostStepsFor, Steps } from './steps.ts';
import { subjectOf } from './subject.ts';

export function caseOf(question: PermissionQuestion, state: PermissionState): Case {
  const held = state.rules.of('deny').length + state.rules.of('ask').length + state.rules.of('allow').length;
  const look = lookFrom(state.files, question.cwd, new Steps(mostStepsFor(held)));
  const subject = subjectOf(question, look.resolve);
  const { cwd, root = cwd, ownDirectories: own = [] } = question;
  const context = {
    cwd,
    root,
    home: state.home,
    ignoreCase: state.ignoreCase,
    standing: state.standing,
    ...look,
    protection: { own, linked: lazily(() => linkedGrants(roots, look)), ...state.protection },
  };
  const roots: readonly string[] = [root, ...question.additionalDirectories, ...state.directories, ...own];
  return { subject, input: question.input, state, context, roots, own };
}
