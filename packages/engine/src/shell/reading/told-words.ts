/** Commands that only show, compare or pass on what other commands of the line print: `echo "$(date)"`. */
import { programOf, type Segment, type ShellWord } from './segment.ts';

/** Whatever such a word is, it opens nothing. */
const SHOWS = /^(?:echo|printf|basename|dirname|true|false|:|exit|expr)$/;
const TESTS = /^(?:test|\[)$/;
const COMPARES = /^(?:=|==|!=|-(?:eq|ne|lt|le|gt|ge))$/;

/**
 * A test that compares two words, or looks whether one is empty. By the number of its words and the operator
 * that is written out it is that, whatever the words are: no other operator comes out of them.
 */
export function comparesText(words: readonly ShellWord[]): boolean {
  const inside =
    words[0]?.value === '[' ? (words.at(-1)?.value === ']' ? words.slice(1, -1) : []) : words.slice(1);
  const [first, ...rest] = inside;
  const plain = first?.value === '!' ? rest : inside;
  if (plain.some(({ many }) => many)) return false;
  const [left, operator] = plain.map(({ value }) => value);
  return plain.length === 2
    ? /^-[zn]$/.test(left ?? '')
    : plain.length === 3 && COMPARES.test(operator ?? '');
}

/** Its words, with a number for each that others print; undefined: it may open what they say. */
export function toldWords(segment: Segment): readonly string[] | undefined {
  const program = programOf(segment);
  const [, ...args] = segment.words;
  const compares = TESTS.test(program);
  if (!(compares || SHOWS.test(program)) || segment.words[0]?.value === undefined) return undefined;
  if (args.some(({ value, told }) => value === undefined && told !== true)) return undefined;
  // A format may set a variable, and an operator may look at files.
  if (program === 'printf' && /^-|^$/.test(args[0]?.value ?? '')) return undefined;
  if (compares && !comparesText(segment.words)) return undefined;
  return [program, ...args.map(({ value }) => value ?? '0')];
}
