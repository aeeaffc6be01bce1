/** Programs that show what is packed, with the forms in which they only read. */
import type { ReadingForm } from './reading-form.ts';

/** A listing, with the archive behind the letters: `tzf a.tgz`, `-tvf a.tar`. */
const LISTS = /^-?(?=[vzjJf]*t)[tvzjJ]*f$/;

/**
 * A colon names an archive on another machine, to which a shell is opened; an `@` in front is an archive for
 * one kind of tar and a name for the other.
 */
function listsArchive(words: readonly string[], args: readonly string[]): boolean {
  const [letters = '', ...named] = args;
  return (
    LISTS.test(letters) &&
    named.length > 0 &&
    named.every((word) => !/^[-@]|:/.test(word)) &&
    words.length >= named.length
  );
}

export const READING_ARCHIVES: Readonly<Record<string, ReadingForm>> = {
  tar: {
    options: LISTS,
    scripts: 1,
    unscripted: /^-/,
    holds: listsArchive,
    starts: ['gzip', 'bzip2', 'xz', 'zstd', 'lzip', 'lzma', 'lzop', 'compress'],
  },
  // To every other name it would put an ending of its own, and open that file.
  zcat: { holds: (words) => words.every((word) => /\.(?:t?gz|taz|z)$/.test(word)), starts: ['gzip'] },
};
