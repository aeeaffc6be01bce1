/**
 * Programs with the forms in which they only read. What is not listed is not known to: an option that writes,
 * runs another program, or names files of its own (`sort -o`, `date -s`, `file -C`) is left out on purpose,
 * and so is every abbreviation of a long option.
 */
export interface ReadingForm {
  /** Options with which it only reads. Default: none. */
  readonly options?: RegExp;
  /**
   * Its other words name no files, and each has to look like this. Default: they are the paths that it reads.
   */
  readonly words?: RegExp;
  /** Options whose value is the next word, which names no file. */
  readonly valued?: RegExp;
  /** How many of the other words, from the first, are no paths. Default 0. */
  readonly scripts?: number;
  /** Options with which all other words are paths. */
  readonly unscripted?: RegExp;
  /** How many other words it may have. Default: any number. */
  readonly atMost?: number;
  /** What the look of a single word cannot tell. `args` holds the options too. */
  readonly holds?: (words: readonly string[], args: readonly string[]) => boolean;
  /** It reads what lies below the folders it is given, not only what it is given. */
  readonly descends?: (args: readonly string[]) => boolean;
  /** Given folders, it opens what links in them lead to, wherever that is. */
  readonly followsLinks?: true;
  /** Programs that it starts by itself, to read what it is given. */
  readonly starts?: readonly string[];
  /** Its paths stand in front of its options. */
  readonly testsLast?: true;
}
