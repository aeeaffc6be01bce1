/**
 * Lines with words that only the shell knows, of which more can be known: patterns, by the names that there
 * are, and names that are piped to `xargs`. The line is judged with these names written out, and so it runs:
 * what appears between the decision and the run has no part in it.
 */
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { shellWord } from '@turnwright/base/process/shell-program.ts';
import { matchesNames } from '@turnwright/base/search/name-pattern.ts';
import { readCommandLine } from '../../shell/reading/command-line.ts';
import { patternWords, type Way } from '../../shell/reading/pattern-words.ts';
import { type Edit, type PipedNames, pipedNames } from '../../shell/reading/piped-names.ts';
import {
  everySegment,
  knownWord,
  literalWords,
  programOf,
  type Segment,
} from '../../shell/reading/segment.ts';
import { type Case, filterOutside } from '../decide/evaluation.ts';
import { holdsLink, readPaths } from './command-paths.ts';
import { isOfTheFolder } from './found-program.ts';
import { matchCommand } from './match-command.ts';
import { repositoryFrom } from './own-repository.ts';

/** More entries than these are not looked at, more folders not read, and more names not written out. */
const MAX_ENTRIES = 5_000;
const MAX_FOLDERS = 200;
const MAX_NAMES = 250;

interface WrittenOut {
  readonly each: Case;
  readonly command: string;
}

/** The case of the line with its names written out; undefined: nothing can be, or rules speak of them. */
export async function writtenOut(each: Case): Promise<WrittenOut | undefined> {
  const { target } = each.subject;
  if (target.kind !== 'command' || !/[*?[{]|\bxargs\b|\$PWD|\$\((?:pwd|git rev-parse)/.test(target.command))
    return undefined;
  const { segments, unseen } = await each.subject.line();
  if (unseen !== undefined || everySegment(segments).some(waits)) return undefined;
  const parser = await import('unbash');
  const words = patternWords(target.command, parser, await placesIn(segments, each));
  const from = words && (await findStartFolder(segments, target.command, each));
  if (words === undefined) return undefined;
  const edits: Edit[] = [];
  const budget: Budget = { entries: MAX_ENTRIES, folders: MAX_FOLDERS, names: MAX_NAMES };
  for (const { pos, end, ways } of words) {
    const names: string[] = [];
    for (const way of ways) {
      const found = await expandPattern(way, from, each, budget);
      if (found === undefined) return undefined;
      names.push(...found);
    }
    edits.push({ pos, end, text: names.map(shellWord).join(' ') });
  }
  const piped = pipedNames(target.command, parser);
  for (const names of piped) {
    if (!(await staysInside(names, segments, each))) return undefined;
    edits.push(...names.edits);
  }
  if (edits.length === 0 && piped.length === 0) return undefined;
  const command = withEdits(target.command, edits);
  const marks = piped.map(({ at }) => at + shiftedBy(edits, at));
  const line = lazily(async () => {
    const read = await readCommandLine(command, target.language);
    return { ...read, segments: read.segments.map((segment) => marked(segment, marks)) };
  });
  const written: Case = { ...each, subject: { ...each.subject, target: { ...target, command }, line } };
  return (await isRestricted(written, command)) ? undefined : { each: written, command };
}

/** Whether a rule that denies or asks speaks of the names, as before of the patterns. */
async function isRestricted({ subject, state, context }: Case, command: string): Promise<boolean> {
  for (const rule of [...state.rules.of('deny'), ...state.rules.of('ask')])
    if ((await matchCommand(rule, command, subject, context)) !== 'no') return true;
  return false;
}

/** What tells a folder that is known: where the line runs, and the top of the repository there. */
async function placesIn(
  segments: readonly Segment[],
  { context, state }: Case,
): Promise<ReadonlyMap<string, string>> {
  const { real } = await context.resolve('.');
  const moves = segments.some((segment) => programOf(segment) === 'cd');
  const found = real === undefined ? 'unclear' : await repositoryFrom(real, state.files);
  return new Map([
    ...(moves ? [] : [['$(pwd)', context.cwd] as const, ['$PWD', context.cwd] as const]),
    ...(typeof found === 'string' ? [] : [['$(git rev-parse --show-toplevel)', found.root] as const]),
  ]);
}

/** While it waits, files may come that it is meant to see. */
const waits = (segment: Segment): boolean =>
  /^(?:sleep|wait|watch)$/.test(programOf(segment)) ||
  (programOf(segment) === 'tail' && segment.words.some(({ value }) => /^-\w*[fF]/.test(value ?? '-f')));

const marked = (segment: Segment, marks: readonly number[]): Segment =>
  segment.at !== undefined && marks.includes(segment.at) && /^(?:xargs|find)$/.test(programOf(segment))
    ? { ...segment, takesFound: true }
    : segment;

/** Where patterns are meant from: where the line starts, or where one `cd` at its beginning leads. */
async function findStartFolder(
  segments: readonly Segment[],
  command: string,
  { context }: Case,
): Promise<string | undefined> {
  const moves = segments.filter((segment) => programOf(segment) === 'cd');
  const [first, target] = literalWords(segments[0] ?? ({ words: [] } as never)) ?? [];
  if (moves.length === 0) return '';
  if (moves.length > 1 || first !== 'cd' || target === undefined) return undefined;
  if (!/^\s*cd\s+(?:[\w./@+-]+|'[^']+'|"[\w ./@+-]+")\s*(?:&&|;|\n)/.test(command)) return undefined;
  const { real } = await context.resolve(target);
  return real !== undefined && (await context.isFolder(real)) ? target : undefined;
}

interface Budget {
  entries: number;
  folders: number;
  names: number;
}

/** What a pattern is with the files that there are; undefined: that is not known, or leads out. */
async function expandPattern(
  way: Way,
  from: string | undefined,
  each: Case,
  budget: Budget,
): Promise<readonly string[] | undefined> {
  const parts = way.pattern.split('/');
  if (!parts.some(isPattern)) return [way.plain];
  if (from === undefined) return undefined;
  let found: readonly string[] = [''];
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    const next: string[] = [];
    for (const path of found) {
      if (!isPattern(part)) {
        next.push(path + part.replace(/\\(.)/g, '$1') + (isLast ? '' : '/'));
        continue;
      }
      const names = await readFolder(path === '' ? '.' : path, from, each, budget);
      if (names === undefined || isReadOtherwise(part, names, each)) return undefined;
      for (const name of names)
        if (matchesNames([part], [name]) && (!name.startsWith('.') || part.startsWith('.')))
          next.push(path + name + (isLast ? '' : '/'));
    }
    found = next;
  }
  const there: string[] = [];
  for (const path of found) {
    const kind = await classifyPath(path, from, each);
    if (kind === 'odd' || there.length >= budget.names) return undefined;
    if (kind !== 'none') there.push(path);
  }
  budget.names -= there.length;
  // The order of the C locale. A pattern without a file stays as it is.
  return there.length === 0 ? [way.plain] : there.sort((a, b) => (a < b ? -1 : 1));
}

/** Shells differ about `.` and `..`, and those of POSIX about characters of several bytes. */
function isReadOtherwise(part: string, names: readonly string[], { subject: { target } }: Case): boolean {
  if (part.startsWith('.') && ['.', '..'].some((name) => matchesNames([part], [name]))) return true;
  const isPosix = target.kind === 'command' && target.language === 'sh';
  return isPosix && /[?[]/.test(part) && names.some((name) => /[^ -~]/.test(name));
}

const isPattern = (part: string): boolean => /(?<!\\)(?:\\\\)*[*?[]/.test(part);

const placed = (path: string, from: string): string =>
  path.startsWith('/') || from === '' ? path : join(from, path);

/** The names in a folder, which is read only inside of the working directories; [] where there is none. */
async function readFolder(
  path: string,
  from: string,
  each: Case,
  budget: Budget,
): Promise<readonly string[] | undefined> {
  const resolved = await each.context.resolve(placed(path, from));
  const { real } = resolved;
  // What is no folder holds nothing, wherever it is.
  if (path !== '.' && real !== undefined && !(await each.context.isFolder(real))) return [];
  if (real === undefined || (await filterOutside('read', [resolved], each)).length > 0) return undefined;
  const names = await each.context.entries(real);
  if (names === undefined || --budget.folders < 0) return undefined;
  budget.entries -= names.length;
  return budget.entries < 0 ? undefined : names;
}

/** Neither a link that leads out, nor one to nowhere, nor what makes who reads it wait. */
async function classifyPath(path: string, from: string, each: Case): Promise<'there' | 'none' | 'odd'> {
  const { context } = each;
  const at = placed(path, from);
  const resolved = await context.resolve(at);
  if ((await context.stat(resolved.spelled)) === undefined) return 'none';
  if (resolved.real === undefined || (await filterOutside('read', [resolved], each)).length > 0) return 'odd';
  const kind = (await context.stat(resolved.real))?.kind;
  if (kind === 'directory') return 'there';
  if (path.endsWith('/')) return 'none';
  return kind === 'file' ? 'there' : 'odd';
}

/** What is started reads only the names that it is given, and files inside of the working directories. */
async function staysInside(
  { at, readers, mayBeLinks }: PipedNames,
  segments: readonly Segment[],
  each: Case,
): Promise<boolean> {
  const passing = segments.find((segment) => segment.at === at);
  if (passing?.folders === undefined) return false;
  for (const from of mayBeLinks === true ? passing.folders : []) {
    const { real } = await each.context.resolve(from === '' ? '.' : from);
    if (real === undefined || (await holdsLink(real, each.context))) return false;
  }
  for (const words of readers) {
    const reader = { ...passing, words: words.map(knownWord), redirects: [], inner: [] };
    const read = await readPaths(reader, each.context.resolve);
    if (await isOfTheFolder(words[0] ?? '', { ...each, searchPath: each.state.searchPath })) return false;
    if (read === undefined || read.unknown || (await filterOutside('read', read.paths, each)).length > 0)
      return false;
  }
  return true;
}

function withEdits(text: string, edits: readonly Edit[]): string {
  let written = text;
  for (const { pos, end, text: put } of [...edits].sort((a, b) => b.pos - a.pos))
    written = written.slice(0, pos) + put + written.slice(end);
  return written;
}

/** How far the edits in front of a position move it. */
const shiftedBy = (edits: readonly Edit[], at: number): number =>
  edits.reduce((sum, { pos, end, text }) => (end < at ? sum + text.length - (end - pos) : sum), 0);
