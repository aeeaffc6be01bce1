import { dirname, join } from 'node:path';
import { pathsWritten, readsBelow } from '../shell/plain-reader.ts';
import { everySegment, literalWords, programOf, type Segment } from '../shell/segment.ts';
import { codeOf } from '../util/code-of.ts';
import { isAcceptedEdit } from './accepted-edits.ts';
import { readPaths, redirectPaths, writtenPaths } from './command-paths.ts';
import { allowsWords, isPrefix } from './command-rule.ts';
import { allowsPath, type PathRuleContext } from './path-rule.ts';
import { isOddSpelling, isProtectedPath } from './protected-path.ts';
import type { PathReader, ResolvedPath } from './real-path.ts';
import { namesTool, type PermissionRule } from './rule.ts';
import type { Subject } from './subject.ts';

export interface CommandCase {
  readonly subject: Subject;
  readonly context: PathRuleContext;
  /** The allow rules in force. */
  readonly allow: readonly PermissionRule[];
  readonly files: PathReader;
  /** Writes inside the working directories need no rule. */
  readonly acceptsEdits: boolean;
  /** Absolute: what counts as inside. */
  readonly roots: readonly string[];
  /** A rule that denies or asks names files, or folders. */
  readonly hasPathRules: boolean;
  /** The paths that do not lie where they may be read or written without a rule. */
  outside(kind: 'read' | 'write', paths: readonly ResolvedPath[]): Promise<readonly ResolvedPath[]>;
}

export interface Cover {
  /** The rules that were needed; none when every segment only reads. */
  readonly rules: readonly PermissionRule[];
  /** Segments that nothing allows. */
  readonly uncovered: readonly Segment[];
}

/** Holds every segment of a line against the allow rules: the line is allowed when none is left over (F85). */
export async function coverCommand(each: CommandCase): Promise<Cover> {
  const rules = new Set<PermissionRule>();
  const uncovered: Segment[] = [];
  for (const segment of (await each.subject.line()).segments) {
    if (!(await isCovered(segment, each, rules))) uncovered.push(segment);
  }
  return { rules: [...rules], uncovered };
}

async function isCovered(segment: Segment, each: CommandCase, used: Set<PermissionRule>): Promise<boolean> {
  if (!(await redirectsCovered(segment, each, used)) || segment.assigns) return false;
  if (segment.words.length === 0) return true;
  const words = literalWords(segment);
  if (words === undefined) return onlyReads(segment, each);
  const rule = each.allow.find(
    ({ value: { toolName, ruleContent } }) =>
      namesTool(toolName, each.subject.names) &&
      (ruleContent === undefined || allowsWords(ruleContent, words)),
  );
  if (rule !== undefined) {
    used.add(rule);
    if (!meansToSearch(rule, segment)) return true;
    if (pathsWritten(words).length > 0) return false;
  } else {
    if ((await onlyReads(segment, each)) || (await isAcceptedEdit(segment, each))) return true;
    if (!segment.transparent || segment.inner.length === 0) return false;
  }
  for (const inner of segment.inner) if (!(await isCovered(inner, each, used))) return false;
  return true;
}

/** Who may search with all options may not therefore run, write or delete what a search is told to. */
function meansToSearch({ value: { ruleContent } }: PermissionRule, segment: Segment): boolean {
  return /^(?:find|rg)$/.test(programOf(segment)) && ruleContent !== undefined && isPrefix(ruleContent);
}

/** A redirect opens files by itself, whatever the program may (F86). */
async function redirectsCovered(
  segment: Segment,
  each: CommandCase,
  used: Set<PermissionRule>,
): Promise<boolean> {
  const { context, allow } = each;
  for (const kind of ['read', 'write'] as const) {
    const { paths, unknown } = await redirectPaths(segment, kind, context.resolve);
    if (unknown) return false;
    const needRule = kind === 'write' && !each.acceptsEdits ? paths : await each.outside(kind, paths);
    const family = kind === 'write' ? 'Edit' : 'Read';
    for (const path of needRule) {
      const rule = await firstAsync(
        allow,
        async ({ value: { toolName, ruleContent } }) =>
          toolName === family &&
          (ruleContent === undefined || (await allowsPath(ruleContent, path, context))),
      );
      if (rule === undefined) return false;
      used.add(rule);
    }
  }
  return true;
}

async function onlyReads(segment: Segment, each: CommandCase): Promise<boolean> {
  const read = await readPaths(segment, each.context.resolve);
  if (read === undefined || read.unknown || (await each.outside('read', read.paths)).length > 0) return false;
  // Whether a rule speaks of one of the files below is not known.
  if (each.hasPathRules && readsBelow(literalWords(segment) ?? [])) return false;
  return programOf(segment) !== 'git' || isOwnRepository(segment, each);
}

/** Git runs what a repository's configuration names: one that an earlier `cd` chose, or that is laid bare, may be planted. */
async function isOwnRepository({ folders }: Segment, { files, context }: CommandCase): Promise<boolean> {
  if (folders?.length !== 1 || folders[0] !== '') return false;
  try {
    for (let folder = context.cwd; ; folder = dirname(folder)) {
      if (await isThere(join(folder, '.git'), files)) return true;
      if (await isThere(join(folder, 'HEAD'), files)) return false;
      if (dirname(folder) === folder) return true;
    }
  } catch {
    return false;
  }
}

async function isThere(path: string, files: PathReader): Promise<boolean> {
  try {
    return (await files.lstat(path)) !== undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** A write that no rule may let pass: to a protected path, or to one that cannot be told. */
export async function unsafeWriteOf({
  subject,
  context,
}: Pick<CommandCase, 'subject' | 'context'>): Promise<
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unclear' | 'protected'; readonly path: ResolvedPath }
  | undefined
> {
  for (const segment of everySegment((await subject.line()).segments)) {
    const { paths, unknown } = await writtenPaths(segment, context);
    if (unknown) return { kind: 'unknown' };
    for (const path of paths) {
      if (path.real === undefined || isOddSpelling(path.spelled)) return { kind: 'unclear', path };
      if (isProtectedPath(path.spelled) || isProtectedPath(path.real)) return { kind: 'protected', path };
    }
  }
  return undefined;
}

async function firstAsync<T>(
  items: readonly T[],
  holds: (item: T) => Promise<boolean>,
): Promise<T | undefined> {
  for (const item of items) if (await holds(item)) return item;
  return undefined;
}
