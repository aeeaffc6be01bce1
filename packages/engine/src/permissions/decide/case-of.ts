/** What the rules are held against: made of a question. */

import { lazily } from '@turnwright/base/collections/made-once.ts';
import type { PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { Case, PermissionState } from './evaluation.ts';
import { linkedGrants } from './protected-path.ts';
import { lookFrom } from './resolved-path.ts';
import { mostStepsFor, Steps } from './steps.ts';
import { createSubject } from './subject.ts';

export function createCase(question: PermissionQuestion, state: PermissionState): Case {
  const held = state.rules.of('deny').length + state.rules.of('ask').length + state.rules.of('allow').length;
  const look = lookFrom(state.files, question.cwd, new Steps(mostStepsFor(held)));
  const subject = createSubject(question, look.resolve);
  const { cwd, root = cwd, ownDirectories: own = [] } = question;
  const { kept } = state.files;
  const linked = () => linkedGrants(roots, look);
  const context = {
    cwd,
    root,
    home: state.home,
    ignoreCase: state.ignoreCase,
    standing: state.standing,
    ...look,
    protection: {
      own,
      linked: lazily(() => (kept === undefined ? linked() : kept(`linked ${roots.join('\0')}`, linked))),
      ...state.protection,
    },
  };
  const roots: readonly string[] = [root, ...question.additionalDirectories, ...state.directories, ...own];
  return { subject, input: question.input, state, context, roots, own };
}
