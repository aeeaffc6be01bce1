import type { PermissionQuestion } from '../protocol/gate.ts';
import type { GateVerdict, MatchedRule, PermissionBehavior, PermissionMode } from '../protocol/permission.ts';
import type { Segment } from '../shell/segment.ts';
import { isInside } from '../util/inside.ts';
import { type CommandCase, coverCommand, unsafeWriteOf } from './command-cover.ts';
import { touchedPaths } from './command-paths.ts';
import { matchesRule } from './match-rule.ts';
import * as say from './messages.ts';
import type { PathRuleContext } from './path-rule.ts';
import { isOddSpelling, isProtectedPath } from './protected-path.ts';
import { lookFrom, type PathReader, type ResolvedPath } from './real-path.ts';
import { formatRule, namesTool, type PermissionRule } from './rule.ts';
import type { RuleSet } from './rule-set.ts';
import { type Subject, subjectOf } from './subject.ts';
import { suggestionsFor } from './suggestions.ts';

/** Built-in tools that change nothing but the session's own record. */
const OWN_RECORD_TOOLS: readonly string[] = ['TodoWrite', 'StructuredOutput'];

export interface PermissionState {
  readonly mode: PermissionMode;
  readonly rules: RuleSet;
  readonly directories: readonly string[];
  readonly readableDirectories: readonly string[];
  readonly home: string | undefined;
  readonly ignoreCase: boolean;
  readonly files: PathReader;
  /** Outside the working directories nothing is read, or written, whatever rules and mode say. */
  readonly blockReadsOutside: boolean;
  readonly blockWritesOutside: boolean;
  /** What no allow rule names is denied, in every mode (F88). */
  readonly allowedToolsOnly: boolean;
}

interface Case {
  readonly subject: Subject;
  readonly state: PermissionState;
  readonly context: PathRuleContext;
  /** Directories that may be read and written, then those that may only be read. */
  readonly roots: readonly string[];
  /** Those of `roots` that the asker writes without being asked. */
  readonly own: readonly string[];
}

/** The ladder: its order is the priority. Paths are looked up on disk only when a step needs them. */
export async function decideCall(question: PermissionQuestion, state: PermissionState): Promise<GateVerdict> {
  const look = lookFrom(state.files, question.cwd);
  const subject = subjectOf(question, look.resolve);
  const context = { cwd: question.cwd, home: state.home, ignoreCase: state.ignoreCase, ...look };
  const own = question.ownDirectories ?? [];
  const roots = [question.cwd, ...question.additionalDirectories, ...state.directories, ...own];
  const each: Case = { subject, state, context, roots, own };

  const denied = await firstMatch('deny', each);
  if (denied !== undefined) return deny('rule', say.deniedByRule(subject, denied), denied);
  if (subject.policy?.behavior === 'deny') return deny('rule', subject.policy.reason);
  const stray = await blockedPath(each);
  if (stray !== undefined) return deny('workingDir', say.deniedOutside(subject, stray.spelled));
  if (state.mode === 'plan' && !mayPlan(subject)) return deny('mode', say.deniedByPlan(subject));

  const verdict = await allowOrAsk(each);
  if (state.allowedToolsOnly && !(await isListed(verdict, each)))
    return deny('mode', say.deniedUnlisted(subject));
  if (verdict.kind !== 'ask' || state.mode !== 'dontAsk') return verdict;
  return deny('mode', say.deniedWithoutAsking(verdict.message));
}

async function allowOrAsk(each: Case): Promise<Extract<GateVerdict, { kind: 'allow' | 'ask' }>> {
  const { subject, state } = each;
  if (subject.needsPerson) return { kind: 'ask', reasonType: 'tool', message: say.askedForPerson(subject) };
  if (subject.policy?.behavior === 'ask')
    return { kind: 'ask', reasonType: 'safetyCheck', message: subject.policy.reason };
  if (state.mode === 'bypassPermissions') {
    return { kind: 'allow', reasonType: 'mode', reason: 'The permission mode is bypassPermissions.' };
  }
  const asked = await firstMatch('ask', each);
  if (asked !== undefined)
    return {
      kind: 'ask',
      reasonType: 'rule',
      message: say.askedByRule(subject, asked),
      matched: matchedOf(asked),
    };
  const unsafe = await findUnsafeWrite(each);
  if (unsafe !== undefined) return unsafe;

  const outside = await pathsOutside(each);
  if (state.mode === 'acceptEdits' && subject.target.kind === 'write' && outside.length === 0) {
    return { kind: 'allow', reasonType: 'mode', reason: 'The permission mode is acceptEdits.' };
  }
  if (each.own.length > 0 && subject.target.kind === 'write' && (await isOwn(each)))
    return { kind: 'allow', reasonType: 'workingDir', reason: 'It writes into a folder of its own.' };
  if (subject.target.kind === 'command') return judgeCommand(each);
  const allowed = await firstMatch('allow', each);
  if (allowed !== undefined) return allowedBy([allowed]);
  return byDefault(each, outside);
}

/** Whether an allow rule names what would run; a question that only a person can answer stays one. */
async function isListed(verdict: GateVerdict, each: Case): Promise<boolean> {
  const { subject } = each;
  if (subject.needsPerson || OWN_RECORD_TOOLS.includes(subject.tool)) return true;
  if (verdict.kind === 'allow' && verdict.matched !== undefined) return true;
  if (subject.target.kind !== 'command') return (await firstMatch('allow', each)) !== undefined;
  const judged = await judgeCommand(each);
  return judged.kind === 'allow' && judged.matched !== undefined;
}

/** Every command of the line must be allowed, by a rule or because it only reads inside the working directories. */
async function judgeCommand(each: Case): Promise<Extract<GateVerdict, { kind: 'allow' | 'ask' }>> {
  const { subject, state, context } = each;
  const { unseen } = await subject.line();
  const allow = state.rules.of('allow');
  const whole = allow.find(
    ({ value }) => value.ruleContent === undefined && namesTool(value.toolName, subject.names),
  );
  // A prohibition that cannot be held against the command is not passed over.
  if (whole !== undefined && (unseen === undefined || !hasProhibition(each))) return allowedBy([whole]);
  if (unseen !== undefined)
    return { kind: 'ask', reasonType: 'mode', message: say.askedForUnseen(subject, unseen), suggestions: [] };

  const judged: CommandCase = {
    subject,
    context,
    allow,
    files: state.files,
    acceptsEdits: state.mode === 'acceptEdits',
    outside: (kind, paths) => outsideOf(kind, paths, each),
  };
  const { rules, uncovered } = await coverCommand(judged);
  if (uncovered.length > 0 || (await subject.line()).segments.length === 0)
    return byDefault(each, [], uncovered);
  return rules.length === 0
    ? { kind: 'allow', reasonType: 'workingDir', reason: 'It only reads inside the working directories.' }
    : allowedBy(rules);
}

function allowedBy(rules: readonly PermissionRule[]): Extract<GateVerdict, { kind: 'allow' }> {
  const [first] = rules;
  return {
    kind: 'allow',
    reasonType: 'rule',
    reason: rules.map(({ value }) => formatRule(value)).join(', '),
    ...(first !== undefined && { matched: matchedOf(first) }),
  };
}

function matchedOf({ source, value }: PermissionRule): MatchedRule {
  return { source, value };
}

function hasProhibition({ subject, state }: Case): boolean {
  return [...state.rules.of('deny'), ...state.rules.of('ask')].some(
    ({ value: { toolName, ruleContent } }) =>
      ruleContent !== undefined &&
      (namesTool(toolName, subject.names) || /^(?:Read|Edit|Write)$/.test(toolName)),
  );
}

/** What holds when no rule and no mode says anything. */
function byDefault(
  { subject, state }: Case,
  outside: readonly ResolvedPath[],
  uncovered: readonly Segment[] = [],
): Extract<GateVerdict, { kind: 'allow' | 'ask' }> {
  const { target } = subject;
  if (target.kind === 'read' && subject.readOnly && target.paths.length > 0 && outside.length === 0) {
    return { kind: 'allow', reasonType: 'workingDir', reason: 'It reads inside the working directories.' };
  }
  if (subject.policy?.behavior === 'allow')
    return { kind: 'allow', reasonType: 'tool', reason: subject.policy.reason };
  // What a server says of its own tools is no reason to run them.
  const own =
    OWN_RECORD_TOOLS.includes(subject.tool) || (subject.readOnly && !subject.tool.startsWith('mcp__'));
  if ((target.kind === 'none' || target.kind === 'name') && own) {
    return { kind: 'allow', reasonType: 'tool', reason: 'It changes nothing outside the session.' };
  }
  const suggestions = suggestionsFor(subject, outside, uncovered);
  const [stray] = outside;
  if (stray === undefined) {
    return { kind: 'ask', reasonType: 'mode', message: say.askedByDefault(subject, state.mode), suggestions };
  }
  return {
    kind: 'ask',
    reasonType: 'workingDir',
    message: say.askedForOutside(subject, stray.spelled),
    suggestions,
    blockedPath: stray.real ?? stray.spelled,
  };
}

async function firstMatch(
  behavior: PermissionBehavior,
  { state, subject, context }: Case,
): Promise<PermissionRule | undefined> {
  for (const rule of state.rules.of(behavior)) if (await matchesRule(rule, subject, context)) return rule;
  return undefined;
}

function mayPlan(subject: Subject): boolean {
  return subject.readOnly || subject.needsPerson || OWN_RECORD_TOOLS.includes(subject.tool);
}

async function findUnsafeWrite({
  subject,
  context,
}: Case): Promise<Extract<GateVerdict, { kind: 'ask' }> | undefined> {
  if (subject.target.kind === 'command') {
    const unsafe = await unsafeWriteOf({ subject, context });
    if (unsafe === undefined) return undefined;
    const verdict = { kind: 'ask', reasonType: 'safetyCheck' } as const;
    if (unsafe.kind === 'unknown') return { ...verdict, message: say.askedForUnknownWrite(subject) };
    const { spelled, real } = unsafe.path;
    const message =
      unsafe.kind === 'unclear'
        ? say.askedForUnclearPath(subject, spelled)
        : say.askedForSafety(subject, spelled);
    return { ...verdict, message, blockedPath: real ?? spelled };
  }
  if (subject.target.kind !== 'write') return undefined;
  for (const [i, path] of (await subject.paths()).entries()) {
    const verdict = {
      kind: 'ask',
      reasonType: 'safetyCheck',
      blockedPath: path.real ?? path.spelled,
    } as const;
    if (path.real === undefined || isOddSpelling(subject.target.paths[i] ?? '')) {
      return { ...verdict, message: say.askedForUnclearPath(subject, path.spelled) };
    }
    if (isProtectedPath(path.spelled) || isProtectedPath(path.real)) {
      return { ...verdict, message: say.askedForSafety(subject, path.spelled) };
    }
  }
  return undefined;
}

/** A path that the block on the world outside keeps away; of a command, one that it says it touches. */
async function blockedPath(each: Case): Promise<ResolvedPath | undefined> {
  const { subject, state, context } = each;
  const blocked = { read: state.blockReadsOutside, write: state.blockWritesOutside };
  const { kind } = subject.target;
  if (kind === 'read' || kind === 'write')
    return blocked[kind] ? (await outsideOf(kind, await subject.paths(), each))[0] : undefined;
  if (kind !== 'command' || !(blocked.read || blocked.write)) return undefined;
  for (const direction of ['read', 'write'] as const) {
    if (!blocked[direction]) continue;
    const [stray] = await outsideOf(direction, await touchedPaths(direction, subject, context), each);
    if (stray !== undefined) return stray;
  }
  return undefined;
}

async function pathsOutside(each: Case): Promise<readonly ResolvedPath[]> {
  const { kind } = each.subject.target;
  if (kind !== 'read' && kind !== 'write') return [];
  return outsideOf(kind, await each.subject.paths(), each);
}

async function isOwn(each: Case): Promise<boolean> {
  const paths = await each.subject.paths();
  return paths.length > 0 && (await outsideOf('write', paths, { ...each, roots: each.own })).length === 0;
}

/** Judged on real paths, roots and targets alike. */
async function outsideOf(
  kind: 'read' | 'write',
  paths: readonly ResolvedPath[],
  { state, context, roots }: Case,
): Promise<readonly ResolvedPath[]> {
  const open = kind === 'read' ? [...roots, ...state.readableDirectories] : roots;
  const realRoots = (await Promise.all(open.map(context.resolve))).flatMap(({ real }) =>
    real === undefined ? [] : [real],
  );
  return paths.filter(({ real }) => real === undefined || !realRoots.some((root) => isInside(real, root)));
}

function deny(
  reasonType: 'rule' | 'mode' | 'workingDir',
  message: string,
  rule?: PermissionRule,
): GateVerdict {
  return {
    kind: 'deny',
    reasonType,
    message,
    ...(rule === undefined ? {} : { matched: matchedOf(rule) }),
  };
}
