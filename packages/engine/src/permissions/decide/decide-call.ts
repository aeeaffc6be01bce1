import { andThen } from '@turnwright/base/async/promises.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { toolFacts } from '../../protocol/tools/builtin-tools.ts';
import type { PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { GateVerdict } from '../../protocol/tools/permission.ts';
import { suggestionsFor } from '../ask/suggestions.ts';
import * as say from '../ask/verdict-sentences.ts';
import { judgingCommands } from '../judging-commands.ts';
import { type FoundRule, firstMatch, looksAtFiles } from '../rules/match-rule.ts';
import type { PermissionRule } from '../rules/permission-rule.ts';
import { createCase } from './case-of.ts';
import {
  type Case,
  filterOutside,
  findCommandPlace,
  findUnsafeWrite,
  isOwn,
  leadsTo,
  type PermissionState,
  pathsOutside,
} from './evaluation.ts';
import { type AllowOrAsk, withPlaces } from './judged-places.ts';
import { keepDenied } from './keep-denied.ts';
import type { ResolvedPath } from './resolved-path.ts';
import { TooManySteps } from './steps.ts';
import type { Subject } from './subject.ts';
import { type Ask, allowedBy, type Deny, deny, type PermissionVerdict, toMatchedRule } from './verdicts.ts';

/** The ladder: its order is the priority. Paths are looked up on disk only when a step needs them. */
export function decideCall(
  question: PermissionQuestion,
  state: PermissionState,
  each: Case = createCase(question, state),
): PermissionVerdict | Promise<PermissionVerdict> {
  const unlessDecided = (error: unknown) => decideUnknown(error, question, each);
  try {
    const verdict = andThen(keepDenied(each), () =>
      andThen(firstMatch('deny', each), (found) =>
        found?.match === 'maybe'
          ? decideLeavingOut(question, each, found)
          : decideBeside(question, each, found),
      ),
    );
    return verdict instanceof Promise ? verdict.catch(unlessDecided) : verdict;
  } catch (error) {
    return unlessDecided(error);
  }
}

/** What takes too many steps to decide counts as a call that a rule may forbid. */
function decideUnknown(
  error: unknown,
  { isAnswered }: PermissionQuestion,
  { subject, state }: Case,
): PermissionVerdict {
  if (!(error instanceof TooManySteps)) throw error;
  const message = say.askedForSteps(subject);
  if (subject.policy?.behavior === 'deny') return deny('rule', subject.policy.reason);
  if (state.mode === 'plan' && !mayPlan(subject)) return deny('mode', say.deniedByPlan(subject));
  if (state.allowedToolsOnly) return deny('mode', say.deniedUnlisted(subject));
  if (state.mode === 'dontAsk' && isAnswered !== true) return deny('mode', say.deniedWithoutAsking(message));
  return { kind: 'ask', reasonType: 'safetyCheck', message, suggestions: [] };
}

/** A search below folders runs without the files that rules deny; where that is unsure, it is asked about. */
async function decideLeavingOut(
  question: PermissionQuestion,
  each: Case,
  found: FoundRule,
): Promise<PermissionVerdict> {
  // An ask rule speaks of the search as it was written.
  const asked = each.state.mode === 'bypassPermissions' ? undefined : await firstMatch('ask', each);
  const search = asked === undefined ? await (await judgingCommands()).leavingOut(each) : undefined;
  const left = search && (await firstMatch('deny', search.each));
  if (search === undefined || left !== undefined) return decideBeside(question, each, found);
  const verdict = await decideBeside(question, search.each, undefined);
  if (verdict.kind === 'deny') return verdict;
  // Who is asked sees the command as it was written.
  if (verdict.kind === 'ask') return decideBeside(question, each, found);
  return {
    ...verdict,
    updatedInput: { ...question.input, command: search.command } as JsonObject,
    note: search.note,
  };
}

function decideBeside(
  question: PermissionQuestion,
  each: Case,
  found: FoundRule | undefined,
): PermissionVerdict | Promise<PermissionVerdict> {
  const { subject, state } = each;
  if (found?.match === 'yes') return deny('rule', say.deniedByRule(subject, found.rule), found.rule);
  if (subject.policy?.behavior === 'deny') return deny('rule', subject.policy.reason);
  return andThen(blockedPath(each), (stray) => {
    if (stray !== undefined) return deny('workingDir', say.deniedOutside(subject, stray.spelled));
    const planned = state.mode === 'plan' && !mayPlan(subject) ? inPlan(each) : undefined;
    return andThen(planned, (unlessRead) =>
      unlessRead?.kind === 'deny'
        ? unlessRead
        : andThen(unlessRead ?? allowOrAsk(each, found?.rule), (verdict) =>
            andThen(withPlaces(verdict, each), (placed) =>
              lastWord(confirmed(placed, question), question, each),
            ),
          ),
    );
  });
}

/** A path that the block on the world outside keeps away; of a command, one that it says it touches. */
function blockedPath(each: Case): ResolvedPath | undefined | Promise<ResolvedPath | undefined> {
  const { blockReadsOutside, blockWritesOutside } = each.state;
  if (!(blockReadsOutside || blockWritesOutside) || !looksAtFiles(each.subject.target)) return undefined;
  return strayPath(each);
}

async function strayPath(each: Case): Promise<ResolvedPath | undefined> {
  const { subject, state } = each;
  const blocked = { read: state.blockReadsOutside, write: state.blockWritesOutside };
  const { kind } = subject.target;
  if (kind === 'read' || kind === 'write')
    return blocked[kind] ? (await filterOutside(kind, await subject.paths(), each))[0] : undefined;
  const { findStrayPath } = await judgingCommands();
  return findStrayPath(each, blocked);
}

/** Plan mode: writes of file tools are asked about, commands run if they only read. undefined: undecided. */
async function inPlan(each: Case): Promise<Ask | Deny | undefined> {
  const { subject } = each;
  const refused = deny('mode', say.deniedByPlan(subject));
  if (subject.target.kind === 'write' && !subject.tool.startsWith('mcp__'))
    return { kind: 'ask', reasonType: 'mode', message: say.askedByPlan(subject) };
  if (subject.target.kind !== 'command') return refused;
  const { onlyReads } = await judgingCommands();
  return (await onlyReads(each)) ? undefined : refused;
}

/** A hook that requires a confirmation causes a question, which a mode without questions denies. */
function confirmed(verdict: AllowOrAsk, { hookAsks, hookName }: PermissionQuestion): AllowOrAsk {
  if (hookAsks === undefined || verdict.kind === 'ask') return verdict;
  const { judged } = verdict;
  return {
    kind: 'ask',
    reasonType: 'hook',
    message: hookAsks,
    ...(hookName !== undefined && { hook: hookName }),
    ...(judged !== undefined && { judged }),
  };
}

/** What the locks and the mode make of it. */
function lastWord(
  verdict: AllowOrAsk,
  { isAnswered }: PermissionQuestion,
  each: Case,
): PermissionVerdict | Promise<PermissionVerdict> {
  const { subject, state } = each;
  const said = (): PermissionVerdict =>
    verdict.kind === 'ask' && state.mode === 'dontAsk' && isAnswered !== true
      ? deny('mode', say.deniedWithoutAsking(verdict.message))
      : verdict;
  if (!state.allowedToolsOnly) return said();
  return isListed(verdict, each).then((listed) =>
    listed ? said() : deny('mode', say.deniedUnlisted(subject)),
  );
}

/** `feared`: a rule that denies what this may turn out to be. */
function allowOrAsk(each: Case, feared: PermissionRule | undefined): AllowOrAsk | Promise<AllowOrAsk> {
  const { subject, state } = each;
  if (subject.needsPerson) return { kind: 'ask', reasonType: 'tool', message: say.askedForPerson(subject) };
  if (subject.policy?.behavior === 'ask')
    return { kind: 'ask', reasonType: 'safetyCheck', message: subject.policy.reason };
  if (feared !== undefined) return askAboutRule(each, feared);
  return andThen(findCommandPlace(each), (place) => {
    if (place === 'override')
      return andThen(byRules(withoutLent(each)), (verdict) => aboutLeaving(verdict, each));
    if (state.mode === 'bypassPermissions')
      return { kind: 'allow', reasonType: 'mode', reason: 'The permission mode is bypassPermissions.' };
    return byRules(each, place === 'sandbox' && state.sandbox?.autoAllow === true);
  });
}

/** What a skill or command file allows for a time holds in the sandbox alone. */
function withoutLent(each: Case): Case {
  const { rules } = each.state;
  const own: typeof rules = {
    all: () => rules.all().filter(isOwnRule),
    isInForce: (rule) => rules.isInForce(rule),
    of: (behavior) => rules.of(behavior).filter(isOwnRule),
  };
  return { ...each, state: { ...each.state, rules: own } };
}

const isOwnRule = ({ source }: PermissionRule): boolean => source !== 'command';

/** Bypass mode alone does not allow a command to run outside of an enabled sandbox (F88). */
function aboutLeaving(verdict: AllowOrAsk, { subject }: Case): AllowOrAsk {
  if (verdict.kind === 'allow' || verdict.reasonType !== 'other') return verdict;
  return { ...verdict, reasonType: 'sandboxOverride', message: say.askedToLeaveSandbox(subject) };
}

/** `walled`: it runs where it can do no harm, so that what no rule speaks of is allowed. */
function byRules(each: Case, walled = false): AllowOrAsk | Promise<AllowOrAsk> {
  const { subject } = each;
  return andThen(firstMatch('ask', each), (asked) => {
    if (asked !== undefined)
      return {
        kind: 'ask',
        reasonType: 'rule',
        message: say.askedByRule(subject, asked.rule),
        matched: toMatchedRule(asked.rule),
      };
    if (!looksAtFiles(subject.target)) return allowedOrDefault(each, []);
    if (walled) return { kind: 'allow', reasonType: 'other', reason: 'It runs in the sandbox.' };
    return subject.target.kind === 'command' ? judgeLine(each) : judgeFiles(each);
  });
}

/** What a rule that denies may speak of is asked about in every mode. */
async function askAboutRule(each: Case, rule: PermissionRule): Promise<AllowOrAsk> {
  const { whyFeared } = await judgingCommands();
  return {
    kind: 'ask',
    reasonType: 'rule',
    message: say.askedForRule(each.subject, rule, await whyFeared(rule, each)),
    matched: toMatchedRule(rule),
    suggestions: [],
  };
}

async function judgeLine(each: Case): Promise<AllowOrAsk> {
  const { judgeCommand, unsafeWrite } = await judgingCommands();
  return (await unsafeWrite(each)) ?? judgeCommand(each);
}

async function judgeFiles(each: Case): Promise<AllowOrAsk> {
  const { subject, state } = each;
  const unsafe = await findUnsafeWrite(each);
  if (unsafe !== undefined) return unsafe;

  const outside = await pathsOutside(each);
  if (state.mode === 'acceptEdits' && subject.target.kind === 'write' && outside.length === 0) {
    return { kind: 'allow', reasonType: 'mode', reason: 'The permission mode is acceptEdits.' };
  }
  if (each.own.length > 0 && subject.target.kind === 'write' && (await isOwn(each)))
    return { kind: 'allow', reasonType: 'workingDir', reason: 'It writes into a folder of its own.' };
  return allowedOrDefault(each, outside);
}

function allowedOrDefault(each: Case, outside: readonly ResolvedPath[]): AllowOrAsk | Promise<AllowOrAsk> {
  return andThen(firstMatch('allow', each), (allowed) =>
    allowed === undefined ? byDefault(each, outside) : allowedBy([allowed.rule]),
  );
}

/** Whether an allow rule names what would run; a question that only a person can answer stays one. */
async function isListed(verdict: GateVerdict, each: Case): Promise<boolean> {
  const { subject } = each;
  if (subject.needsPerson || toolFacts(subject.tool).isOwnRecord === true) return true;
  if (verdict.kind === 'allow' && verdict.matched !== undefined) return true;
  if (subject.target.kind !== 'command') return (await firstMatch('allow', each)) !== undefined;
  const { judgeCommand } = await judgingCommands();
  const judged = await judgeCommand(each);
  return judged.kind === 'allow' && judged.matched !== undefined;
}

/** Without a matching rule or mode. A tool's own claim to be read-only does not count for MCP tools. */
function byDefault({ subject, state }: Case, outside: readonly ResolvedPath[]): AllowOrAsk {
  const { target } = subject;
  if (target.kind === 'read' && subject.readOnly && target.paths.length > 0 && outside.length === 0) {
    return { kind: 'allow', reasonType: 'workingDir', reason: 'It reads inside the working directories.' };
  }
  if (subject.policy?.behavior === 'allow')
    return { kind: 'allow', reasonType: 'tool', reason: subject.policy.reason };
  const own =
    toolFacts(subject.tool).isOwnRecord === true || (subject.readOnly && !subject.tool.startsWith('mcp__'));
  if ((target.kind === 'none' || target.kind === 'name') && own) {
    return { kind: 'allow', reasonType: 'tool', reason: 'It changes nothing outside the session.' };
  }
  const suggestions = suggestionsFor(subject, state.mode, outside);
  const [stray] = outside;
  if (stray === undefined) {
    return {
      kind: 'ask',
      reasonType: 'other',
      message: say.askedByDefault(subject, state.mode),
      suggestions,
    };
  }
  return {
    kind: 'ask',
    reasonType: 'workingDir',
    message: say.askedForOutside(subject, stray.spelled),
    suggestions,
    ...leadsTo(stray),
  };
}

function mayPlan(subject: Subject): boolean {
  return subject.readOnly || subject.needsPerson || toolFacts(subject.tool).isOwnRecord === true;
}
