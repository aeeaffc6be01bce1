/** The steps of the ladder that look at what a command does (`decide-call.ts`). */
import type { JsonObject } from '../../protocol/json.ts';
import type { GateVerdict } from '../../protocol/tools/permission.ts';
import type { Segment } from '../../shell/reading/segment.ts';
import * as say from '../ask/verdict-sentences.ts';
import { type Case, filterOutside, wholeToolRule } from '../decide/evaluation.ts';
import type { AllowOrAsk } from '../decide/judged-places.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import { allowedBy } from '../decide/verdicts.ts';
import { type PermissionRule, speaksOfFiles } from '../rules/permission-rule.ts';
import { editedPaths } from './accepted-edits.ts';
import { coverAsWritten, coverCommand, findUnsafeCommandWrite } from './allowed-command.ts';
import { whyOpen } from './asked-word.ts';
import type { CommandCase } from './command-case.ts';
import { touchedPaths } from './command-paths.ts';
import { suggestionsForCommand } from './command-suggestions.ts';
import { writtenOut } from './written-out.ts';

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
    searchPath: state.searchPath,
    acceptsEdits,
    roots,
    hasPathRules: [...state.rules.of('deny'), ...state.rules.of('ask')].some(({ value }) =>
      speaksOfFiles(value),
    ),
    outside: (kind, paths) => filterOutside(kind, paths, each),
  };
}

/** Of a line that is seen whole. */
export async function onlyReads(each: Case): Promise<boolean> {
  const { segments, unseen } = await each.subject.line();
  if (unseen !== undefined || segments.length === 0) return false;
  return (await isReading(each)) || (await readWrittenOut(each)) !== undefined;
}

const isReading = async (each: Case): Promise<boolean> =>
  (await coverCommand(commandCase(each, [], false))).uncovered.length === 0;

/** The line with names in the place of its patterns, if it only reads then. */
async function readWrittenOut(each: Case): Promise<string | undefined> {
  const written = await writtenOut(each);
  if (written === undefined) return undefined;
  const { unseen } = await written.each.subject.line();
  return unseen === undefined && (await isReading(written.each)) ? written.command : undefined;
}

/** A path outside the working directories that the line says it touches in one of these ways. */
export async function findStrayPath(
  each: Case,
  blocked: { readonly read: boolean; readonly write: boolean },
): Promise<ResolvedPath | undefined> {
  const line = await each.subject.line();
  for (const direction of ['read', 'write'] as const) {
    if (!blocked[direction]) continue;
    const [stray] = await filterOutside(direction, await touchedPaths(direction, line, each.context), each);
    if (stray !== undefined) return stray;
  }
  return undefined;
}

export async function unsafeWrite(each: Case): Promise<Extract<GateVerdict, { kind: 'ask' }> | undefined> {
  const { subject } = each;
  const unsafe = await findUnsafeCommandWrite(each, wholeToolRule(each) !== undefined);
  if (unsafe === undefined) return undefined;
  const verdict = { kind: 'ask', reasonType: 'safetyCheck', suggestions: [] } as const;
  if (unsafe.kind === 'unknown') return { ...verdict, message: say.askedForUnknownWrite(subject) };
  const { spelled, real } = unsafe.path;
  const message =
    unsafe.kind === 'unclear'
      ? say.askedForUnclearPath(subject, spelled)
      : say.askedForSafety(subject, spelled);
  return { ...verdict, message, blockedPath: real ?? spelled };
}

/** A rule must allow every command of the line, unless it only reads inside the working directories. */
export async function judgeCommand(each: Case): Promise<AllowOrAsk> {
  const { subject, state } = each;
  const { segments, unseen } = await subject.line();
  const allow = state.rules.of('allow');
  const whole = wholeToolRule(each);
  if (whole !== undefined) return allowedBy([whole]);
  const acceptsEdits = state.mode === 'acceptEdits';
  const lines = commandCase(each, allow, acceptsEdits);
  const asWritten = await coverAsWritten(lines);
  if (asWritten !== undefined) return allowedBy(asWritten);
  if (unseen !== undefined)
    return {
      kind: 'ask',
      reasonType: 'other',
      message: say.askedForUnseen(subject, unseen),
      suggestions: [],
    };

  const { rules, uncovered } = await coverCommand(lines);
  if (uncovered.length > 0 || segments.length === 0) {
    const command = segments.length === 0 ? undefined : await readWrittenOut(each);
    if (command === undefined) return askAboutCommand(each, uncovered);
    const reason = 'It only reads inside the working directories, with the names of files written out.';
    const isSame = command === (each.subject.target as { readonly command: string }).command;
    return {
      kind: 'allow',
      reasonType: 'workingDir',
      reason,
      ...(!isSame && { updatedInput: { ...(each.input as JsonObject), command } }),
    };
  }
  if (rules.length > 0) return allowedBy(rules);
  const reason = `It only reads${acceptsEdits ? ' and edits' : ''} inside the working directories.`;
  return { kind: 'allow', reasonType: 'workingDir', reason };
}

async function askAboutCommand(each: Case, segments: readonly Segment[]): Promise<AllowOrAsk> {
  const { subject, state, context } = each;
  const writes = await editedPaths(segments, context);
  const readsOutside = await filterOutside('read', await touchedPaths('read', { segments }, context), each);
  const [touched] = [...writes, ...readsOutside];
  return {
    kind: 'ask',
    reasonType: 'other',
    message: say.askedByDefault(subject, state.mode, await whyOpen(segments, each)),
    suggestions: suggestionsForCommand(subject.tool, state.mode, { segments, readsOutside, writes }),
    ...(touched !== undefined && { blockedPath: touched.real ?? touched.spelled }),
  };
}
