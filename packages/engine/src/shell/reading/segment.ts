import { ANYTHING, type TextPattern } from './text-pattern.ts';

/**
 * One word of a command: what it is once the shell has read it, unless that depends on what only the shell
 * knows.
 */
export interface ShellWord {
  readonly value: string | undefined;
  readonly text: string;
  /** What it may be; its value alone where that is known. */
  readonly may: TextPattern;
  /** It may be several words, or none. */
  readonly many: boolean;
  /**
   * What is not known of it is what commands of the line print, a number, or who and where the user is: no
   * file has a part in it.
   */
  readonly told?: true;
  /** A known word with a placeholder, which the program that runs the command replaces. */
  readonly template?: string;
}

export const knownWord = (value: string): ShellWord => ({ value, text: value, may: [value], many: false });

/** Words that come from somewhere else: the input of `xargs`, the findings of `find`. */
export const wordsFromElsewhere = (text: string): ShellWord => ({
  value: undefined,
  text,
  may: ANYTHING,
  many: true,
});

/**
 * The language that a line is written in: bash, or what a shell called `sh` may be (dash, bash and others).
 */
export type ShellLanguage = 'bash' | 'sh';

export interface RedirectTarget {
  readonly direction: 'read' | 'write';
  readonly path: string | undefined;
  /** What it may be; its path alone where that is known. */
  readonly may: TextPattern;
}

/** A simple command: one program that the line may start. */
export interface Segment {
  /** As it is written; absent: it is started by words of another one. */
  readonly text?: string;
  /** Where its program's name ends in the line; absent: it is not a command of the line itself. */
  readonly at?: number;
  /** It is made to leave out what rules deny below the folders that it reads. */
  readonly leavesOut?: true;
  /** It is given names of files inside of the working directories, apart by what no name holds. */
  readonly takesFound?: true;
  /** Empty for a line of assignments or redirects alone. */
  readonly words: readonly ShellWord[];
  /**
   * The first variable that is set in front of it, or instead of it, as it is written; absent: none, or only
   * such as never change what runs.
   */
  readonly assigns?: string;
  readonly redirects: readonly RedirectTarget[];
  /** What here-documents and here-strings give it to read; absent or empty: nothing. */
  readonly fed?: string;
  /**
   * Where it may run, relative to where the line starts (`''`): every place an earlier `cd` may have led to.
   */
  readonly folders: readonly string[] | undefined;
  /**
   * What it starts in turn, where that can be read off its words (`sudo x`, `bash -c '…'`, `find -exec x`).
   */
  readonly inner: readonly Segment[];
  /** It does nothing but start `inner` (`timeout 5 x`). */
  readonly transparent: boolean;
  /**
   * What starts it fills in words of its own: the paths that `find` finds, or any words, as `xargs` does.
   * Absent: none.
   */
  readonly fedWords?: 'paths' | 'any';
}

export interface CommandLine {
  readonly segments: readonly Segment[];
  /** Why more may happen than the segments say; absent: they are all there is. */
  readonly unseen?: string;
}

/** Segments with everything they start in turn. */
export function everySegment(segments: readonly Segment[]): readonly Segment[] {
  return segments.flatMap((segment) => [segment, ...everySegment(segment.inner)]);
}

/** The words, when all of them are known. */
export function literalWords({ words }: Segment): readonly string[] | undefined {
  const values = words.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return values.length === words.length ? values : undefined;
}

/** The words as they are written, where what is filled in are paths, which never are options. */
export function writtenWords(segment: Segment): readonly string[] | undefined {
  const { words, fedWords } = segment;
  if (fedWords !== 'paths') return literalWords(segment);
  const values = words.flatMap(({ value, template }) => value ?? template ?? []);
  return values.length === words.length ? values : undefined;
}

/** The word as far as it is known from its beginning; without its quotes where nothing is. */
export function beginningOf({ value, may, text }: ShellWord): string {
  const [first] = may;
  return value ?? (typeof first === 'string' ? first : text.replace(/\$(?=['"])|['"\\]/g, ''));
}

export function programOf({ words }: Segment): string {
  return baseName(words[0]?.value ?? '');
}

/** A program goes by the last part of its path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
