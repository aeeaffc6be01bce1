/** What a command reads, as far as its words tell. */
import { READING_GIT, READING_PROGRAMS, type ReadingForm } from '../programs/reading-programs.ts';
import { baseName } from './base-name.ts';

/**
 * The paths a plainly read-only command reads; undefined for every other command. Patterns count as paths
 * too.
 */
export function pathsRead(words: readonly string[]): readonly string[] | undefined {
  const { form, args } = formOf(words);
  const named = form === undefined ? undefined : namedIn(args, form);
  if (form === undefined || named === undefined) return undefined;
  if (form.atMost !== undefined && (named.length > form.atMost || named.some(standsForMany)))
    return undefined;
  if (form.holds?.(named, args) === false) return undefined;
  if (form.words !== undefined) return named.every((word) => form.words?.test(word)) ? [] : undefined;
  return named.slice(form.scripts ?? 0);
}

/** What `find -exec … {} +` fills in. */
const standsForMany = (word: string): boolean => word.includes('{}');

/**
 * Whether it also reads files that its words do not name: those below a folder, or in a repository's history.
 */
export function readsBelow(words: readonly string[]): boolean {
  const { form, args } = formOf(words);
  return form?.descends?.(args) === true;
}

/** Whether links in a folder that it is given lead it out of there. */
export function followsLinks(words: readonly string[]): boolean {
  return formOf(words).form?.followsLinks === true;
}

/** The listed form of a program, and whether this command keeps to it. */
export function readingForm(
  words: readonly string[],
): (ReadingForm & { readonly reads: boolean }) | undefined {
  const [program = '', ...rest] = words;
  const named = [baseName(program), ...rest];
  const { form } = formOf(named);
  return form && { ...form, reads: pathsRead(named) !== undefined };
}

function formOf([program = '', ...args]: readonly string[]): {
  readonly form: ReadingForm | undefined;
  readonly args: readonly string[];
} {
  const [table, name, rest] =
    program === 'git'
      ? ([READING_GIT, args[0] ?? '', args.slice(1)] as const)
      : ([READING_PROGRAMS, program, args] as const);
  return { form: Object.hasOwn(table, name) ? table[name] : undefined, args: rest };
}

/** The words that are no options; undefined when an option is none that only reads. */
function namedIn(args: readonly string[], { options }: ReadingForm): readonly string[] | undefined {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  // What looks like an option behind `--` is read as neither.
  if (after.some((arg) => arg.startsWith('-'))) return undefined;
  const flags = before.filter((arg) => arg.startsWith('-'));
  if (flags.some((flag) => options?.test(flag) !== true && flag !== '-')) return undefined;
  return [...before.filter((arg) => !arg.startsWith('-')), ...after];
}
