/** Why a call is asked about, in parts. Loaded by the first host that wants to know. */

import type { AskedQuestion } from '../../protocol/tools/gate-ports.ts';
import type { PermissionBehavior } from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import type { PermissionExplanation } from '../../protocol/tools/permission-explanation.ts';
import { touchedPaths } from '../commands/command-paths.ts';
import { createCase } from '../decide/case-of.ts';
import { decideCall } from '../decide/decide-call.ts';
import { type Case, filterOutside, type PermissionState } from '../decide/evaluation.ts';
import { TooManySteps } from '../decide/steps.ts';
import { explainPaths, explainSegments } from './explained-segments.ts';
import { missedRules } from './missed-rules.ts';
import { listOffers } from './offers.ts';
import { inFile, type RuleFiles } from './rule-files.ts';

export async function explainCall(
  asked: AskedQuestion,
  state: PermissionState,
  files: RuleFiles,
): Promise<PermissionExplanation> {
  try {
    return await explain(asked, state, files);
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return {
      asker: asked.asker ?? [],
      mode: state.mode,
      verdict: 'ask',
      reason: await explainReason(asked, state, files),
      segments: [],
      unseen: 'to look at its parts takes more steps than one look may take',
      writes: [],
      readsOutside: [],
      missed: [],
      offers: [],
      scopes: await files.scopes(),
    };
  }
}

async function explain(
  asked: AskedQuestion,
  state: PermissionState,
  files: RuleFiles,
): Promise<PermissionExplanation> {
  const each = createCase(asked, state);
  const { unseen } = await each.subject.line();
  const segments = await explainSegments(each, files);
  const written = await ownPaths(each, 'write');
  return {
    asker: asked.asker ?? [],
    mode: state.mode,
    verdict: await verdictNow(asked, state),
    reason: await explainReason(asked, state, files),
    segments,
    ...(unseen !== undefined && { unseen }),
    writes: distinct([...written, ...segments.flatMap(({ writes }) => writes)]),
    readsOutside: distinct(await readsOutside(each)),
    missed: await missedRules(each, files),
    offers: await listOffers(asked.suggestions ?? [], each),
    scopes: await files.scopes(),
  };
}

async function explainReason(
  { message, reasonType: type = 'other', matched, hook }: AskedQuestion,
  { rules }: PermissionState,
  files: RuleFiles,
): Promise<PermissionExplanation['reason']> {
  const rule =
    matched &&
    [...rules.of('deny'), ...rules.of('ask')].find(
      ({ source, value }) => source === matched.source && formatRule(value) === formatRule(matched.value),
    );
  return {
    type,
    text: message,
    ...(rule !== undefined && { rule: await inFile(rule, files) }),
    ...(hook !== undefined && { hook }),
  };
}

/** A hook that asked does so whatever rules say. */
async function verdictNow(asked: AskedQuestion, state: PermissionState): Promise<PermissionBehavior> {
  const byHook = asked.reasonType === 'hook' ? { hookAsks: asked.message } : {};
  return (await decideCall({ ...asked, ...byHook }, state)).kind;
}

/** Of a tool that names the files it opens. */
async function ownPaths(each: Case, kind: 'read' | 'write') {
  return each.subject.target.kind === kind ? explainPaths(kind, await each.subject.paths(), each) : [];
}

async function readsOutside(each: Case) {
  const { subject, context } = each;
  const own = (await ownPaths(each, 'read')).filter(({ outside }) => outside);
  const touched = await touchedPaths('read', await subject.line(), context);
  return [...own, ...(await explainPaths('read', await filterOutside('read', touched, each), each))];
}

function distinct<T extends { readonly path: string }>(paths: readonly T[]): readonly T[] {
  return [...new Map(paths.map((each) => [each.path, each])).values()];
}
