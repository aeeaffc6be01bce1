import type { PermissionBehavior } from '../../protocol/tools/permission.ts';
import type { PermissionTarget } from '../../protocol/tools/tool.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import type { Subject } from '../decide/subject.ts';
import { judgingCommands } from '../judging-commands.ts';
import type { Match } from './match.ts';
import { allowsPath, forbidsPath, type PathRuleContext } from './path-rule.ts';
import {
  allowsFamily,
  namesTool,
  type PermissionRule,
  speaksOfFiles,
  speaksOfReading,
  speaksOfWriting,
} from './permission-rule.ts';
import type { RuleSet } from './rule-set.ts';
import { matchesUrl } from './url-rule.ts';

/**
 * Whether a rule matches this call. An allow rule matches only if the match is certain (every path; a command
 * that is fully analysed); a deny or ask rule matches on any match (any path, any piece of a command, a
 * specifier that this kind of target does not have), and returns `maybe` for a possible one: words that only
 * the shell can expand.
 */
export function matchRule(
  rule: PermissionRule,
  subject: Subject,
  context: PathRuleContext,
): Match | Promise<Match> {
  const { target } = subject;
  switch (target.kind) {
    case 'command':
      return matchLine(rule, target.command, subject, context);
    case 'read':
    case 'write':
      return matchFiles(rule, subject, context);
    default:
      return sure(matchesOther(rule, subject));
  }
}

/** What a rule is held against. */
interface Question {
  readonly state: { readonly rules: Pick<RuleSet, 'of'> };
  readonly subject: Subject;
  readonly context: PathRuleContext;
}

export interface FoundRule {
  readonly rule: PermissionRule;
  readonly match: Exclude<Match, 'no'>;
}

/** The first rule that matches for sure, or else the first that may. */
export function firstMatch(
  behavior: PermissionBehavior,
  { state, subject, context }: Question,
): FoundRule | undefined | Promise<FoundRule | undefined> {
  const rules = state.rules.of(behavior);
  const from = (start: number, possible: FoundRule | undefined): ReturnType<typeof firstMatch> => {
    for (let at = start; at < rules.length; at++) {
      const rule = rules[at] as PermissionRule;
      const match = matchRule(rule, subject, context);
      if (match instanceof Promise)
        return match.then((known) =>
          known === 'yes' ? { rule, match: known } : from(at + 1, possible ?? foundIf(rule, known)),
        );
      if (match !== 'no') return { rule, match };
    }
    return possible;
  };
  return from(0, undefined);
}

function foundIf(rule: PermissionRule, match: Match): FoundRule | undefined {
  return match === 'no' ? undefined : { rule, match };
}

const sure = (matched: boolean): Match => (matched ? 'yes' : 'no');

function matchesOther(rule: PermissionRule, subject: Subject): boolean {
  const { toolName, ruleContent: specifier } = rule.value;
  const { target } = subject;
  if (!namesTool(toolName, subject.names)) return false;
  if (specifier === undefined) return true;
  const certain = rule.behavior === 'allow';
  switch (target.kind) {
    case 'url':
      return matchesUrl(specifier, target.url, certain);
    case 'name':
      return [target.name, target.otherName].some((name) => matchesName(specifier, name));
    default:
      return !certain;
  }
}

type FileTarget = Extract<PermissionTarget, { kind: 'command' | 'read' | 'write' }>;

/** Whose paths have to be looked up before anything can be said of it. */
export function looksAtFiles(target: PermissionTarget): target is FileTarget {
  return target.kind === 'command' || target.kind === 'read' || target.kind === 'write';
}

/** What a command does is looked at where the rule speaks of more than the tool. */
function matchLine(
  rule: PermissionRule,
  command: string,
  subject: Subject,
  context: PathRuleContext,
): Match | Promise<Match> {
  const { behavior, value } = rule;
  const isNamed = namesTool(value.toolName, subject.names);
  if (value.ruleContent === undefined) return sure(isNamed);
  if (!isNamed && (behavior === 'allow' || !speaksOfFiles(value))) return 'no';
  return judgingCommands().then(({ matchCommand }) => matchCommand(rule, command, subject, context));
}

async function matchFiles(rule: PermissionRule, subject: Subject, context: PathRuleContext): Promise<Match> {
  const { toolName, ruleContent: specifier } = rule.value;
  const speaks = namesTool(toolName, subject.names) || speaksForFamily(rule, subject);
  if (!speaks && !showsWhatIsThere(rule, subject)) return 'no';
  if (specifier === undefined) return 'yes';
  const certain = rule.behavior === 'allow';
  const paths = await subject.paths();
  if (paths.length === 0) return sure(!certain);
  if (certain)
    return sure(
      (await Promise.all(paths.map((path) => allowsPath(specifier, path, context)))).every(Boolean),
    );
  for (const path of paths) {
    // A path whose target is unknown may lead to a denied file.
    const forbidden = path.real === undefined || (await forbidsPath(specifier, path, context));
    if (forbidden && (speaks || (await isThere(path, context)))) return 'yes';
  }
  return 'no';
}

/** The name itself, or every name that begins with the text before `:*`. */
function matchesName(specifier: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const wanted = specifier.trim();
  return wanted.endsWith(':*') ? name.startsWith(wanted.slice(0, -2)) : name === wanted;
}

/**
 * `Read(path)` applies to every built-in tool that reads files, `Edit(path)` to every one that writes them. A
 * path that is denied for one of them is denied for all, whichever of them the rule names.
 */
function speaksForFamily({ behavior, value }: PermissionRule, { target, tool }: Subject): boolean {
  const { toolName, ruleContent } = value;
  if (ruleContent === undefined) return false;
  if (behavior === 'allow') {
    if (tool.startsWith('mcp__')) return false;
    return (target.kind === 'read' || target.kind === 'write') && allowsFamily(toolName, target.kind);
  }
  return (
    (target.kind === 'read' && speaksOfReading(toolName)) ||
    (target.kind === 'write' && speaksOfWriting(toolName))
  );
}

/** To change a file is to see it: results show what was there. A file that is made shows nothing. */
function showsWhatIsThere({ behavior, value }: PermissionRule, { target }: Subject): boolean {
  return (
    behavior !== 'allow' &&
    value.ruleContent !== undefined &&
    target.kind === 'write' &&
    speaksOfReading(value.toolName)
  );
}

async function isThere({ real }: ResolvedPath, { stat }: PathRuleContext): Promise<boolean> {
  return real === undefined || (await stat(real)) !== undefined;
}
