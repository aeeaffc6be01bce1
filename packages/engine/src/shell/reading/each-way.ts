/** Commands in a loop over words that are written out: the variable is one of them, so each is looked at. */
import type { Segment, ShellWord } from './segment.ts';
import { knownWord } from './segment.ts';
import type { PatternPiece, TextPattern } from './text-pattern.ts';

/** More ways than these are not gone through. */
const MOST_WAYS = 128;

/**
 * The command with every text that its words and redirects may be; undefined: all are known already, or one
 * may be anything.
 */
export function eachWay(segment: Segment): readonly Segment[] | undefined {
  const { words, redirects } = segment;
  if (words.every(({ value }) => value !== undefined) && redirects.every(({ path }) => path !== undefined))
    return undefined;
  const read = combineChoices(words, listWords, MOST_WAYS);
  const opened =
    read &&
    combineChoices(
      redirects,
      (target) =>
        target.path === undefined ? listTexts(target.may)?.map((path) => ({ ...target, path })) : [target],
      MOST_WAYS / read.length,
    );
  // What it starts was read with the words open, and is gone through in turn.
  return (
    opened && read.flatMap((way) => opened.map((targets) => ({ ...segment, words: way, redirects: targets })))
  );
}

function combineChoices<T>(
  items: readonly T[],
  choices: (item: T) => readonly T[] | undefined,
  most: number,
): readonly (readonly T[])[] | undefined {
  let ways: readonly (readonly T[])[] = [[]];
  for (const item of items) {
    const found = choices(item);
    if (found === undefined || ways.length * found.length > most) return undefined;
    ways = ways.flatMap((way) => found.map((each) => [...way, each]));
  }
  return ways;
}

function listWords(word: ShellWord): readonly ShellWord[] | undefined {
  if (word.value !== undefined) return [word];
  return word.many ? undefined : listTexts(word.may)?.map(knownWord);
}

function listTexts(pattern: TextPattern): readonly string[] | undefined {
  let texts: readonly string[] = [''];
  for (const piece of pattern) {
    const next = listChoices(piece);
    if (next === undefined || texts.length * next.length > MOST_WAYS) return undefined;
    texts = texts.flatMap((text) => next.map((each) => text + each));
  }
  return texts;
}

function listChoices(piece: PatternPiece): readonly string[] | undefined {
  if (typeof piece === 'string') return [piece];
  return 'oneOf' in piece ? piece.oneOf : undefined;
}
