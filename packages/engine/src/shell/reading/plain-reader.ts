/** What a command reads, as far as its words tell. */
import { READING_DOCKER } from '../programs/readers/reading-docker.ts';
import type { ReadingForm } from '../programs/readers/reading-form.ts';
import { READING_GIT } from '../programs/readers/reading-git.ts';
import { READING_PROGRAMS } from '../programs/readers/reading-programs.ts';
import { baseName } from './segment.ts';

/**
 * The paths a plainly read-only command reads; undefined for every other command. Patterns count as paths
 * too.
 */
export function pathsRead(words: readonly string[]): readonly string[] | undefined {
  const { form, args, folder } = readForm(words);
  const named = form === undefined ? undefined : namedIn(args, form);
  if (form === undefined || named === undefined) return undefined;
  if (form.atMost !== undefined && (named.length > form.atMost || named.some(standsForMany)))
    return undefined;
  if (form.holds?.(named, args) === false) return undefined;
  const paths = form.words === undefined ? named.slice(countScripts(form, args)) : [];
  if (form.words !== undefined && !named.every((word) => form.words?.test(word))) return undefined;
  if (folder === undefined) return paths;
  return [folder, ...paths.map((path) => (path.startsWith('/') ? path : `${folder}/${path}`))];
}

/** What `find -exec … {} +` fills in. */
const standsForMany = (word: string): boolean => word.includes('{}');

/** How many words, from the first, are no paths. */
function countScripts({ scripts = 0, unscripted }: ReadingForm, args: readonly string[]): number {
  return unscripted !== undefined && args.some((arg) => unscripted.test(arg)) ? 0 : scripts;
}

/**
 * Whether it also reads files that its words do not name: those below a folder, or in a repository's history.
 */
export function readsBelow(words: readonly string[]): boolean {
  const { form, args } = readForm(words);
  return form?.descends?.(args) === true;
}

/** Programs that it starts by itself, to read what it is given. */
export function startedToRead(words: readonly string[]): readonly string[] {
  return readForm(words).form?.starts ?? [];
}

/** Whether links in a folder that it is given lead it out of there. */
export function followsLinks(words: readonly string[]): boolean {
  return readForm(words).form?.followsLinks === true;
}

/** The listed form of a program, and whether this command keeps to it. */
export function readingForm(
  words: readonly string[],
): (ReadingForm & { readonly reads: boolean }) | undefined {
  const [program = '', ...rest] = words;
  const named = [baseName(program), ...rest];
  const { form, args } = readForm(named);
  return form && { ...form, scripts: countScripts(form, args), reads: pathsRead(named) !== undefined };
}

interface Formed {
  readonly form: ReadingForm | undefined;
  readonly args: readonly string[];
  /** The folder of `git -C`. */
  readonly folder?: string;
}

function readForm([program = '', ...args]: readonly string[]): Formed {
  if (program === 'docker') {
    const [first = '', second = ''] = args;
    const ofTwo = ownIn(READING_DOCKER, `${first} ${second}`);
    return { form: ofTwo ?? ownIn(READING_DOCKER, first), args: args.slice(ofTwo === undefined ? 1 : 2) };
  }
  if (program !== 'git') return { form: ownIn(READING_PROGRAMS, program), args };
  const { at, folder } = readFront(args);
  return {
    form: ownIn(READING_GIT, args[at] ?? ''),
    args: args.slice(at + 1),
    ...(folder !== undefined && { folder }),
  };
}

const ownIn = (table: Readonly<Record<string, ReadingForm>>, name: string): ReadingForm | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Options in front of a subcommand of git that only change how it shows what it reads. */
const SHOWS = /^(?:--no-pager|-P|--no-optional-locks|--no-replace-objects|--literal-pathspecs)$/;
const SHOWING = /^(?:color\.\w+(?:\.\w+)?|core\.(?:quotepath|abbrev))=\w*$/i;

/** Where the subcommand is, and the one folder that `-C` names in front of it. */
function readFront(args: readonly string[]): { readonly at: number; readonly folder?: string } {
  let folder: string | undefined;
  for (let at = 0; ; at++) {
    const arg = args[at] ?? '';
    const next = args[at + 1] ?? '';
    if (arg === '-c' && SHOWING.test(next)) at++;
    else if (arg === '-C' && folder === undefined && /^[^-]/.test(next)) folder = args[++at] ?? '';
    else if (!SHOWS.test(arg)) return { at, ...(folder !== undefined && { folder }) };
  }
}

/** The words that are no options; undefined when an option is none that only reads. */
function namedIn(
  args: readonly string[],
  { options, valued, testsLast }: ReadingForm,
): readonly string[] | undefined {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  // What looks like an option behind `--` is read as neither.
  if (after.some((arg) => arg.startsWith('-'))) return undefined;
  const named: string[] = [];
  for (let at = 0; at < before.length; at++) {
    const arg = before[at] ?? '';
    if (!arg.startsWith('-')) named.push(arg);
    else if (arg !== '-' && options?.test(arg) !== true) return undefined;
    else if (valued?.test(arg) === true) {
      const value = before[++at];
      if (value === undefined) return undefined;
      if (testsLast === true) continue;
      if (value.startsWith('-')) return undefined;
      // Some programs take nothing for an option behind the first other word.
      if (named.length > 0) named.push(value);
    }
  }
  return [...named, ...after];
}
