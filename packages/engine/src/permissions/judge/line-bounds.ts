/** Which command lines the judge of mode `auto` may decide about: those that are read whole, word by word. */
import { looksSecret } from '@turnwright/base/text/secret-text.ts';
import { eachWay } from '../../shell/reading/each-way.ts';
import { literalWords, programOf, type Segment } from '../../shell/reading/segment.ts';
import { type ProjectTask, readTask } from '../../shell/tasks/project-task.ts';
import { coverSegment, isOwnRepository } from '../commands/allowed-command.ts';
import type { CommandCase } from '../commands/command-case.ts';
import { redirectPaths, writtenPaths } from '../commands/command-paths.ts';
import { isOfTheFolder } from '../commands/found-program.ts';
import { commandCase } from '../commands/judge-command.ts';
import { type Case, filterOutside } from '../decide/evaluation.ts';
import { holdsProtectedName, isProtected } from '../decide/protected-path.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import type { JudgeBound } from './judge-bound.ts';
import { boundOfUrl } from './known-hosts.ts';

const OUTSIDE: JudgeBound = { kind: 'outside', why: 'it reaches outside the working directories' };
const unread = (why: string): JudgeBound => ({ kind: 'unread', why });

/** undefined: the judge may. */
export async function boundOfLine(each: Case, hosts: readonly string[]): Promise<JudgeBound | undefined> {
  const { segments, unseen } = await each.subject.line();
  if (unseen !== undefined) return unread(unseen);
  if (segments.length === 0) return unread('it holds no command');
  if (each.subject.target.kind === 'command' && looksSecret(each.subject.target.command))
    return { kind: 'secret', why: 'it holds a secret' };
  for (const segment of segments) {
    const bound = await boundOfSegment(segment, each, hosts);
    if (bound !== undefined) return bound;
  }
  return undefined;
}

async function boundOfSegment(
  segment: Segment,
  each: Case,
  hosts: readonly string[],
): Promise<JudgeBound | undefined> {
  const lines = commandCase(each, each.state.rules.of('allow'), true);
  // What rules and mode acceptEdits would allow together.
  if ((await coverSegment(segment, lines)) !== undefined) return undefined;
  const ways = eachWay(segment);
  if (ways !== undefined) return firstBound(ways, (way) => boundOfSegment(way, each, hosts));
  if (segment.assigns !== undefined)
    return unread(`${JSON.stringify(segment.assigns)} sets a variable that may change what runs`);
  const opened = await boundOfRedirects(segment, each);
  if (opened !== undefined) return opened;
  if (segment.transparent && segment.inner.length > 0)
    return firstBound(segment.inner, (inner) => boundOfSegment(inner, each, hosts));
  const words = literalWords(segment);
  if (words === undefined || segment.fedWords !== undefined || segment.inner.length > 0)
    return unread('it has words, or starts commands, that only the shell knows');
  const task = readTask(words);
  if (task === undefined)
    return {
      kind: 'program',
      why: `${JSON.stringify(words.slice(0, 2).join(' ').slice(0, 60))} is not known to stay in the project`,
    };
  return boundOfTask(segment, words, task, each, hosts, lines);
}

async function firstBound<T>(
  items: readonly T[],
  bound: (item: T) => Promise<JudgeBound | undefined>,
): Promise<JudgeBound | undefined> {
  for (const item of items) {
    const found = await bound(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function boundOfRedirects(segment: Segment, each: Case): Promise<JudgeBound | undefined> {
  for (const kind of ['read', 'write'] as const) {
    const { paths, unknown } = await redirectPaths(segment, kind, each.context.resolve);
    if (unknown) return unread('only the shell knows which file it opens');
    if ((await filterOutside(kind, paths, each)).length > 0) return OUTSIDE;
  }
  return undefined;
}

async function boundOfTask(
  segment: Segment,
  words: readonly string[],
  task: ProjectTask,
  each: Case,
  hosts: readonly string[],
  lines: CommandCase,
): Promise<JudgeBound | undefined> {
  if (task.kind !== 'code' && (await isOfTheFolder(programOf(segment), lines)))
    return { kind: 'program', why: 'a folder that is worked on decides which program it is' };
  if (task.kind === 'history' && !(await isOwnRepository(segment, lines)))
    return { kind: 'outside', why: 'it works on another repository' };
  for (const url of task.urls ?? []) {
    const why = boundOfUrl(url, hosts, true);
    if (why !== undefined) return { kind: 'network', why };
  }
  if (task.installed !== undefined && !(await isInstalled(task.installed, each)))
    return {
      kind: 'network',
      why: `${task.installed} is not installed in the project, so it would be fetched`,
    };
  // What the others are given may be addresses or scripts; the files that they write are known.
  const namesFiles = task.kind === 'code' || task.kind === 'history';
  const named = await namedPlaces(segment, namesFiles ? words : [], each);
  const written = await writtenPaths(segment, each.context);
  if (named === undefined || written.unknown) return unread('only the shell knows where it works');
  if ((await filterOutside('write', [...named, ...written.paths], each)).length > 0) return OUTSIDE;
  for (const path of task.kind === 'history' ? [] : [...named, ...written.paths])
    if (
      holdsProtectedName(path.real ?? path.spelled) &&
      !isBinary(path) &&
      (await isProtected(path, each.context))
    )
      return { kind: 'protected', why: 'it names what decides over what runs later' };
  return undefined;
}

const isBinary = ({ spelled }: ResolvedPath): boolean => /\/node_modules\/\.bin\/[\w.-]+$/.test(spelled);

/** Whether a working directory, or a folder above the place in it, holds the program. */
async function isInstalled(name: string, { context, roots }: Case): Promise<boolean> {
  for (const root of ['.', ...roots])
    if (
      (await context.stat((await context.resolve(`${root}/node_modules/.bin/${name}`)).spelled)) !== undefined
    )
      return true;
  return false;
}

/**
 * Every place that a word may name, in each folder that the command may run in, and these folders; undefined:
 * they are not known.
 */
async function namedPlaces(
  { folders }: Segment,
  words: readonly string[],
  { context }: Case,
): Promise<readonly ResolvedPath[] | undefined> {
  if (folders === undefined) return undefined;
  const places = new Set(folders.map((folder) => (folder === '' ? '.' : folder)));
  for (const word of words.slice(words[0]?.includes('/') === true ? 0 : 1))
    for (const text of textsOf(word)) {
      if (text.startsWith('~')) return undefined;
      if (text.startsWith('/')) places.add(text);
      else for (const folder of folders) places.add(folder === '' ? text : `${folder}/${text}`);
    }
  context.steps.take(20 * places.size);
  return Promise.all([...places].map(context.resolve));
}

/** A word as a path, and what follows in it behind a sign that an option or a list has. */
function textsOf(word: string): readonly string[] {
  const behind = [...word.matchAll(/[=:,@]([^=:,@]+)/g)].map(([, text = '']) => text);
  const joined = /^-[A-Za-z]([./~].*)$/s.exec(word)?.[1];
  const all = [...(word.startsWith('-') ? [] : [word]), ...behind, ...(joined === undefined ? [] : [joined])];
  return all.filter((text) => text !== '' && !/[\n\0]/.test(text) && text.length < 1_000);
}
