import type { PermissionMode } from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import type { Subject } from '../decide/subject.ts';
import type { PermissionRule } from '../rules/permission-rule.ts';

/** What the model or a person reads about a verdict. */
const SOURCE_NAMES = {
  userSettings: 'the user settings',
  projectSettings: 'the project settings',
  localSettings: 'the local project settings',
  flagSettings: 'the settings given to this run',
  policySettings: 'the managed settings',
  command: 'a command',
  session: 'this session',
  cliArg: 'the options of this run',
} as const;

/** `Bash with "rm -rf x"`, `Edit of /etc/hosts`: bounded, on one line. */
export function describeSubject({ tool, target }: Subject): string {
  switch (target.kind) {
    case 'command':
      return `${tool} with the command ${quote(target.command)}`;
    case 'read':
    case 'write':
      return target.paths.length === 0
        ? tool
        : `${tool} of ${target.paths.slice(0, 3).map(oneLine).join(', ')}`;
    case 'url':
      return `${tool} of ${oneLine(target.url)}`;
    case 'name':
      return `${tool} of ${oneLine(target.name)}`;
    case 'none':
      return tool;
  }
}

export function deniedByRule(subject: Subject, rule: PermissionRule): string {
  return `${describeSubject(subject)} is denied by the rule ${formatRule(rule.value)} in ${SOURCE_NAMES[rule.source]}.`;
}

export function deniedByPlan(subject: Subject): string {
  return `Plan mode is on: only what reads may run, and ${describeSubject(subject)} does more, or may do more. Present the plan first, or have the permission mode changed.`;
}

export function askedByPlan(subject: Subject): string {
  return `${describeSubject(subject)} needs approval: plan mode is on, in which nothing is to be changed.`;
}

export function deniedOutside(subject: Subject, path: string): string {
  return `${describeSubject(subject)} is denied: ${oneLine(path)} is outside the working directories, and the settings block that whatever rules and mode say.`;
}

export function deniedUnlisted(subject: Subject): string {
  return `${describeSubject(subject)} is denied: only what an allow rule names may run here, and none names it.`;
}

export function deniedWithoutAsking(reason: string): string {
  return `${reason} The permission mode is dontAsk, so no question was asked and the call is denied.`;
}

export function askedToLeaveSandbox(subject: Subject): string {
  return `${describeSubject(subject)} needs approval: it asks to run outside of the sandbox.`;
}

export function askedByRule(subject: Subject, rule: PermissionRule): string {
  return `${describeSubject(subject)} needs approval: the rule ${formatRule(rule.value)} in ${SOURCE_NAMES[rule.source]} asks for it.`;
}

export function askedForPerson(subject: Subject): string {
  return `${subject.tool} needs an answer from a person.`;
}

export function askedForSafety(subject: Subject, path: string): string {
  return `${describeSubject(subject)} needs approval: ${oneLine(path)} decides what may run later, and no rule lifts that.`;
}

export function askedForUnclearPath(subject: Subject, path: string): string {
  return `${describeSubject(subject)} needs approval: where ${oneLine(path)} leads cannot be told (a dangling link, a loop or an unusual spelling).`;
}

export function askedForUnknownWrite(subject: Subject): string {
  return `${describeSubject(subject)} needs approval: which file it writes is known to the shell alone.`;
}

export function askedForUnseen(subject: Subject, reason: string): string {
  return `${describeSubject(subject)} needs approval: what it would run cannot be told, because ${reason}.`;
}

export function askedForSteps(subject: Subject): string {
  return `${describeSubject(subject)} needs approval: holding it against the rules takes more steps than one decision may take, so that a rule may forbid it. Fewer or simpler patterns are decided at once.`;
}

/** `why`: which word of it is the reason. */
export function askedForRule(subject: Subject, rule: PermissionRule, why: string): string {
  return `${describeSubject(subject)} needs approval: it may be what the rule ${formatRule(rule.value)} in ${SOURCE_NAMES[rule.source]} denies (${why}).`;
}

export function askedForOutside(subject: Subject, path: string): string {
  return `${describeSubject(subject)} needs approval: ${oneLine(path)} is outside the working directories.`;
}

export function leadingTo(message: string, path: string): string {
  return `${message} The path leads to ${oneLine(path)}.`;
}

/** `why`: what of a command keeps rules from allowing it, where that is not the whole of it. */
export function askedByDefault(subject: Subject, mode: PermissionMode, why?: string): string {
  return `${describeSubject(subject)} needs approval: ${why === undefined ? 'no rule allows it' : why} and the permission mode is ${mode}.`;
}

function quote(text: string): string {
  return `"${oneLine(text)}"`;
}

/** Control, zero-width and direction-changing characters are shown escaped. */
function oneLine(text: string): string {
  const bounded = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return bounded.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
