/**
 * One question with all that is known about it, and what its paths say: looked up on disk when a step needs
 * them.
 */

import { isInside } from '@turnwright/base/files/inside.ts';
import { toolFacts } from '../../protocol/tools/builtin-tools.ts';
import type { PermissionQuestion } from '../../protocol/tools/gate-ports.ts';
import type { CommandPlace, SandboxPort } from '../../protocol/tools/isolation.ts';
import type { GateVerdict, PermissionMode } from '../../protocol/tools/permission.ts';
import * as say from '../ask/verdict-sentences.ts';
import type { PathRuleContext } from '../rules/path-rule.ts';
import { namesTool, type PermissionRule } from '../rules/permission-rule.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { StandingFiles } from '../rules/standing-files.ts';
import { isOddSpelling, isProtected, type Protection } from './protected-path.ts';
import type { DiskReader, ResolvedPath } from './resolved-path.ts';
import type { Subject } from './subject.ts';

export interface PermissionState {
  readonly mode: PermissionMode;
  readonly rules: Pick<RuleSet, 'all' | 'isInForce' | 'of'>;
  readonly directories: readonly string[];
  readonly readableDirectories: () => readonly string[];
  readonly home: string | undefined;
  readonly searchPath: string | undefined;
  readonly ignoreCase: boolean;
  readonly files: DiskReader;
  /** Outside the working directories nothing is read, or written, whatever rules and mode say. */
  readonly blockReadsOutside: boolean;
  readonly blockWritesOutside: boolean;
  /** What is protected besides what its name protects. */
  readonly protection: Omit<Protection, 'own' | 'linked'>;
  /** What no allow rule names is denied, in every mode (F88). */
  readonly allowedToolsOnly: boolean;
  /** undefined: commands are not isolated. */
  readonly sandbox?: Pick<SandboxPort, 'placeOf' | 'autoAllow'> | undefined;
  /** What rules forbade before a command could give it another name. */
  readonly standing?: StandingFiles | undefined;
}

export interface Case {
  readonly subject: Subject;
  /** What the tool was given. */
  readonly input: PermissionQuestion['input'];
  readonly state: PermissionState;
  readonly context: PathRuleContext & { readonly protection: Protection };
  /** Directories that may be read and written, then those that may only be read. */
  readonly roots: readonly string[];
  /** Those of `roots` that the asker writes without being asked. */
  readonly own: readonly string[];
}

/** The rule, if there is one, that allows all calls of the tool. */
export function wholeToolRule({ subject, state }: Case): PermissionRule | undefined {
  return state.rules
    .of('allow')
    .find(({ value }) => value.ruleContent === undefined && namesTool(value.toolName, subject.names));
}

export async function findUnsafeWrite(
  each: Case,
): Promise<Extract<GateVerdict, { kind: 'ask' }> | undefined> {
  const { subject, context } = each;
  if (subject.target.kind !== 'write') return undefined;
  for (const [i, path] of (await subject.paths()).entries()) {
    const verdict = { kind: 'ask', reasonType: 'safetyCheck', suggestions: [], ...leadsTo(path) } as const;
    if (path.real === undefined || isOddSpelling(subject.target.paths[i] ?? '')) {
      return { ...verdict, message: say.askedForUnclearPath(subject, path.spelled) };
    }
    if (await isProtected(path, context)) {
      return { ...verdict, message: say.askedForSafety(subject, path.spelled) };
    }
  }
  return undefined;
}

/** Where a link leads that is part of the path: the input of the call does not show it. */
export function leadsTo({ spelled, real }: ResolvedPath): { readonly blockedPath?: string } {
  return real === undefined || real === spelled ? {} : { blockedPath: real };
}

export async function pathsOutside(each: Case): Promise<readonly ResolvedPath[]> {
  const { kind } = each.subject.target;
  if (kind !== 'read' && kind !== 'write') return [];
  return filterOutside(kind, await each.subject.paths(), each);
}

export async function isOwn(each: Case): Promise<boolean> {
  const paths = await each.subject.paths();
  return paths.length > 0 && (await filterOutside('write', paths, { ...each, roots: each.own })).length === 0;
}

/** Judged on real paths, roots and targets alike. */
export async function filterOutside(
  kind: 'read' | 'write',
  paths: readonly ResolvedPath[],
  { state, context, roots }: Case,
): Promise<readonly ResolvedPath[]> {
  if (paths.length === 0) return [];
  const open = kind === 'read' ? [...roots, ...state.readableDirectories()] : roots;
  const realRoots = (await Promise.all(open.map(context.resolve))).flatMap(({ real }) =>
    real === undefined ? [] : [real],
  );
  return paths.filter(({ real }) => real === undefined || !realRoots.some((root) => isInside(real, root)));
}

/** Where the command of this call would run; undefined: it is none, or commands are not isolated. */
export function findCommandPlace({
  subject: { target, tool },
  state,
}: Case): CommandPlace | undefined | Promise<CommandPlace> {
  if (state.sandbox === undefined || target.kind !== 'command' || toolFacts(tool).family !== 'command')
    return undefined;
  const { command, leavesSandbox: dangerouslyDisableSandbox } = target;
  return state.sandbox.placeOf({ command, dangerouslyDisableSandbox });
}
