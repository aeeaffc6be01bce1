/** Commands in a loop over words that are written out: the variable is one of them, so each is looked at. */
import type { Segment, ShellWord } from './segment.ts';
import { knownWord } from './segment.ts';
import type { Piece } from './text-pattern.ts';

/** More ways than these are not gone through. */
const MOST_WAYS = 64;

/**
 * The command with every text that its words may be; undefined: all its words are known already, or one may
 * be anything.
 */
export function eachWay(segment: Segment): readonly Segment[] | undefined {
  if (segment.words.every(({ value }) => value !== undefined)) return undefined;
  let ways: readonly (readonly ShellWord[])[] = [[]];
  for (const word of segment.words) {
    const texts = textsOf(word);
    if (texts === undefined || ways.length * texts.length > MOST_WAYS) return undefined;
    ways = ways.flatMap((way) => texts.map((each) => [...way, each]));
  }
  // What it starts was read with the words open, and is gone through in turn.
  return ways.map((words) => ({ ...segment, words }));
}

function textsOf(word: ShellWord): readonly ShellWord[] | undefined {
  if (word.value !== undefined) return [word];
  if (word.many) return undefined;
  let texts: readonly string[] = [''];
  for (const piece of word.may) {
    const next = choicesOf(piece);
    if (next === undefined || texts.length * next.length > MOST_WAYS) return undefined;
    texts = texts.flatMap((text) => next.map((each) => text + each));
  }
  return texts.map(knownWord);
}

function choicesOf(piece: Piece): readonly string[] | undefined {
  if (typeof piece === 'string') return [piece];
  return 'oneOf' in piece ? piece.oneOf : undefined;
}
