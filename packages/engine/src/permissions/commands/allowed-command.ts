import { isAbsolute, join } from 'node:path';
import { PROTECTED_ANYWHERE } from '@turnwright/base/files/protected-names.ts';
import { mayGoBeyond } from '../../shell/programs/beyond-name.ts';
import { eachWay } from '../../shell/reading/each-way.ts';
import { followsLinks, startedToRead } from '../../shell/reading/plain-reader.ts';
import { pathsWritten } from '../../shell/reading/plain-writer.ts';
import { everySegment, programOf, type Segment, writtenWords } from '../../shell/reading/segment.ts';
import { isOddSpelling, isProtected } from '../decide/protected-path.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import { isPrefix, namesProgram } from '../rules/command-pattern.ts';
import { allowsPath } from '../rules/path-rule.ts';
import { allowsFamily, namesTool, type PermissionRule } from '../rules/permission-rule.ts';
import { isAcceptedEdit } from './accepted-edits.ts';
import type { CommandCase } from './command-case.ts';
import { namesLinks, readPaths, redirectPaths, writtenPaths } from './command-paths.ts';
import { allowsWords } from './command-rule.ts';
import { isOfTheFolder } from './found-program.ts';
import { type KnownRepository, repositoryFrom, runsNothing } from './own-repository.ts';
import { protectedAmong } from './protected-word.ts';

interface Cover {
  /** The rules that were needed; none when every segment only reads. */
  readonly rules: readonly PermissionRule[];
  /** Segments that nothing allows. */
  readonly uncovered: readonly Segment[];
}

/**
 * Holds every segment of a line against the allow rules: the line is allowed when none is left over (F85).
 */
export async function coverCommand(each: CommandCase): Promise<Cover> {
  const rules = new Set<PermissionRule>();
  const uncovered: Segment[] = [];
  for (const segment of (await each.subject.line()).segments) {
    await each.context.steps.pause();
    const needed = await coverSegment(segment, each);
    if (needed === undefined) uncovered.push(segment);
    else for (const rule of needed) rules.add(rule);
  }
  return { rules: [...rules], uncovered };
}

/** The rules that one segment needs, with what it starts; undefined: nothing allows it. */
export async function coverSegment(
  segment: Segment,
  each: CommandCase,
): Promise<readonly PermissionRule[] | undefined> {
  const used = new Set<PermissionRule>();
  return (await isCovered(segment, each, used)) ? [...used] : undefined;
}

async function isCovered(segment: Segment, each: CommandCase, used: Set<PermissionRule>): Promise<boolean> {
  const ways = eachWay(segment);
  if (ways !== undefined) {
    for (const way of ways) if (!(await isCovered(way, each, used))) return false;
    return true;
  }
  if (!(await redirectsCovered(segment, each, used))) return false;
  const asWritten = each.allow.find((rule) => isWritten(rule, segment.text, each));
  if (asWritten !== undefined) return coversRepository(asWritten, segment, each, used);
  if (segment.assigns !== undefined) return false;
  if (segment.words.length === 0) return true;
  const words = writtenWords(segment);
  if (words === undefined && segment.fedWords !== 'any') return onlyReads(segment, each);
  const rule = each.allow.find(
    ({ value: { toolName, ruleContent } }) =>
      namesTool(toolName, each.subject.names) &&
      (ruleContent === undefined ||
        (words === undefined
          ? allowsFed(ruleContent, segment, each)
          : allowsWords(ruleContent, words, each.context.steps.take))),
  );
  if (words === undefined) {
    if (rule !== undefined) used.add(rule);
    return rule !== undefined;
  }
  if (rule !== undefined) {
    if (!(await coversRepository(rule, segment, each, used))) return false;
    const { ruleContent = '' } = rule.value;
    // A rule for any program covers the words, and not what they start or write.
    if (!meansToSearch(rule, segment) && namesProgram(ruleContent)) return true;
    if (pathsWritten(words).length > 0) return false;
  } else {
    if ((await onlyReads(segment, each)) || (await isAcceptedEdit(segment, each))) return true;
    if (!segment.transparent || segment.inner.length === 0) return false;
  }
  for (const inner of segment.inner) if (!(await isCovered(inner, each, used))) return false;
  return true;
}

/** A rule for git covers only the repository of the working directory. */
async function coversRepository(
  rule: PermissionRule,
  segment: Segment,
  each: CommandCase,
  used: Set<PermissionRule>,
): Promise<boolean> {
  if (programOf(segment) === 'git' && rule.value.ruleContent !== undefined) {
    if ((await ownRepository(segment, each)) === undefined) return false;
  }
  used.add(rule);
  return true;
}

/** Whether the rule is this text, sign for sign: then nothing in it is left open. */
function isWritten({ value }: PermissionRule, text: string | undefined, { subject }: CommandCase): boolean {
  const { toolName, ruleContent } = value;
  return (
    ruleContent !== undefined &&
    ruleContent === text?.trim() &&
    !ruleContent.includes('*') &&
    namesTool(toolName, subject.names)
  );
}

/**
 * The rules that allow a line because one of them is its text, also one that is not fully analysed;
 * undefined: none is. What it opens by redirects, and the repository of git, are checked all the same.
 */
export async function coverAsWritten(each: CommandCase): Promise<readonly PermissionRule[] | undefined> {
  const { target } = each.subject;
  if (target.kind !== 'command') return undefined;
  const rule = each.allow.find((allow) => isWritten(allow, target.command, each));
  if (rule === undefined) return undefined;
  const used = new Set([rule]);
  for (const segment of everySegment((await each.subject.line()).segments)) {
    if (!(await redirectsCovered(segment, each, used))) return undefined;
    if (!(await coversRepository(rule, segment, each, used))) return undefined;
  }
  return [...used];
}

/** With words of which nothing is known behind it: only where none of them could write or run something. */
function allowsFed(specifier: string, segment: Segment, { context }: CommandCase): boolean {
  const unknown = segment.words.findIndex(({ value }) => value === undefined);
  const known = segment.words.slice(0, unknown).flatMap(({ value }) => value ?? []);
  return (
    isPrefix(specifier) &&
    !mayGoBeyond(programOf(segment)) &&
    allowsWords(specifier, known, context.steps.take)
  );
}

/** A prefix rule for a search program does not cover its options that run, write or delete something. */
function meansToSearch({ value: { ruleContent } }: PermissionRule, segment: Segment): boolean {
  return /^(?:find|rg|xargs)$/.test(programOf(segment)) && ruleContent !== undefined && isPrefix(ruleContent);
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
    for (const path of needRule) {
      const rule = await firstAsync(
        allow,
        async ({ value: { toolName, ruleContent } }) =>
          allowsFamily(toolName, kind) &&
          (ruleContent === undefined || (await allowsPath(ruleContent, path, context))),
      );
      if (rule === undefined) return false;
      used.add(rule);
    }
  }
  return true;
}

async function onlyReads(segment: Segment, each: CommandCase): Promise<boolean> {
  for (const program of [programOf(segment), ...startedToRead(writtenWords(segment) ?? [])])
    if (await isOfTheFolder(program, each)) return false;
  if (segment.takesFound === true) return true;
  const read = await readPaths(segment, each.context.resolve);
  if (read === undefined || read.unknown || (await each.outside('read', read.paths)).length > 0) return false;
  if (followsLinks(writtenWords(segment) ?? []) && (await namesLinks(segment, each.context))) return false;
  if (programOf(segment) !== 'git') return true;
  // Files that an earlier command of the line may have created are not examined.
  if (startsElsewhere(segment) && !(await allElseReads(each))) return false;
  const repository = await ownRepository(segment, each);
  return repository !== undefined && runsNothing(repository, each.files);
}

/** Whether git would work on the repository of the working directory. */
export async function isOwnRepository(segment: Segment, each: CommandCase): Promise<boolean> {
  return (await ownRepository(segment, each)) !== undefined;
}

/** git in another folder than the line begins in. */
const startsElsewhere = ({ folders, words }: Segment): boolean =>
  folders?.length !== 1 ||
  folders[0] !== '' ||
  words.some(({ value }, at) => value === '-C' && words[at + 1]?.value !== '.');

/** Whether nothing in the line changes files: then what git finds in another folder is what was looked at. */
async function allElseReads(each: CommandCase): Promise<boolean> {
  const alone: CommandCase = { ...each, allow: [], acceptsEdits: false };
  for (const segment of (await each.subject.line()).segments) {
    if (programOf(segment) === 'git' && startsElsewhere(segment)) {
      if (
        (await readPaths(segment, each.context.resolve)) === undefined ||
        !(await redirectsCovered(segment, alone, new Set()))
      )
        return false;
    } else if ((await coverSegment(segment, alone)) === undefined) return false;
  }
  return true;
}

/**
 * The repository of the working directory, from wherever git starts: one that an earlier `cd` or `-C`
 * selected, or a bare one, may have been created by an attacker. undefined: another repository, or it cannot
 * be determined.
 */
async function ownRepository(
  segment: Segment,
  { files, context }: CommandCase,
): Promise<KnownRepository | undefined> {
  const { folders } = segment;
  if (folders === undefined) return undefined;
  const words = segment.words.map(({ value }) => value);
  const chosen = words.flatMap((word, at) => (words[at - 1] === '-C' && at > 1 ? [word ?? ''] : []));
  if (chosen.includes('')) return undefined;
  const home = (await context.resolve('.')).real;
  if (home === undefined) return undefined;
  const own = await repositoryFrom(home, files);
  if (own === 'unclear') return undefined;
  for (const folder of folders) {
    const { real } = await context.resolve(inFolder(folder, chosen[0] ?? ''));
    if (real === undefined || chosen.length > 1) return undefined;
    const found = real === home ? own : await repositoryFrom(real, files);
    if (found === 'unclear' || (found === 'none' ? found !== own : own === 'none' || found.own !== own.own))
      return undefined;
  }
  return own;
}

function inFolder(folder: string, chosen: string): string {
  return isAbsolute(chosen) ? chosen : join('.', folder, chosen);
}

/**
 * A write that no rule may allow: to a protected path, or to one that cannot be determined. Where a rule
 * allows the `whole` tool, a file that only the shell knows is one only if the line speaks of protected ones.
 */
export async function findUnsafeCommandWrite(
  { subject, context }: Pick<CommandCase, 'subject' | 'context'>,
  whole: boolean,
): Promise<
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unclear' | 'protected'; readonly path: ResolvedPath }
  | undefined
> {
  for (const segment of everySegment((await subject.line()).segments)) {
    const { paths, unknown } = await writtenPaths(segment, context);
    if (unknown && !(whole && subject.target.kind === 'command' && isBareOfNames(subject.target.command)))
      return { kind: 'unknown' };
    for (const path of paths) {
      await context.steps.pause();
      context.steps.take(20);
      if (path.real === undefined || isOddSpelling(path.spelled)) return { kind: 'unclear', path };
      if (await isProtected(path, context)) return { kind: 'protected', path };
    }
    const named = await protectedAmong(segment, context);
    if (named !== undefined) return { kind: 'protected', path: named };
  }
  return undefined;
}

/** Names of what decides over what runs later, without the dot in front: that may be written in any way. */
const TELLING_NAMES: readonly string[] = [
  ...PROTECTED_ANYWHERE.filter((name) => name.length > 5).map((name) =>
    name.replace(/^\./, '').toLowerCase(),
  ),
  ...['hooks', 'git-dir', 'git-path', 'git_dir'],
];

/** Nothing in the line, less its quotes, is the name of a hidden or protected file, or a part of one. */
function isBareOfNames(command: string): boolean {
  const text = command.replace(/['"\\]/g, '').toLowerCase();
  return !/(?:^|[^\w.)\]}*?])\.[a-z_$*?[{]/.test(text) && !TELLING_NAMES.some((name) => text.includes(name));
}

async function firstAsync<T>(
  items: readonly T[],
  holds: (item: T) => Promise<boolean>,
): Promise<T | undefined> {
  for (const item of items) if (await holds(item)) return item;
  return undefined;
}
