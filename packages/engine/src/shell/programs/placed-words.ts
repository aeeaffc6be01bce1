/**
 * Words in which a program replaces a placeholder, as `find` does with `{}` and `xargs -I` with its argument.
 */
import type { ShellWord } from '../reading/segment.ts';
import { ANY, ANYTHING, meet, type PatternPiece, type TextPattern } from '../reading/text-pattern.ts';

interface Filling {
  /** What is filled in may be several words. */
  readonly many?: boolean;
}

/**
 * A word in which the placeholder was replaced. One that the shell has yet to expand may hold it too: `{}?`
 * where it matches no file, and `*` where a file is called `{}`.
 */
export function filledIn(word: ShellWord, mark: string, { many = false }: Filling = {}): ShellWord {
  const { value, text } = word;
  if (value === undefined) {
    if (word.may === ANYTHING || !meet(word.may, [ANY, mark, ANY])) return word;
    return { value, text, may: aroundMark(word.may, mark), many: word.many || many };
  }
  if (!value.includes(mark)) return word;
  const may = value.split(mark).flatMap((piece, i): PatternPiece[] => (i === 0 ? [piece] : [ANY, piece]));
  return { value: undefined, text, may, many, template: value };
}

/** What is known of its beginning and end, where the placeholder cannot reach. */
function aroundMark(may: TextPattern, mark: string): TextPattern {
  const first = may[0];
  const last = may.at(-1);
  const head = typeof first === 'string' ? first.slice(0, findStart(mark, first)) : '';
  const reversed = typeof last === 'string' ? backwards(last) : '';
  const tail = backwards(reversed.slice(0, findStart(backwards(mark), reversed)));
  return [...(head === '' ? [] : [head]), ANY, ...(tail === '' ? [] : [tail])];
}

/** Where the mark may begin in this text, of which the continuation is not known. */
function findStart(mark: string, text: string): number {
  for (let at = 0; at < text.length; at++)
    if (text.startsWith(mark, at) || mark.startsWith(text.slice(at))) return at;
  return text.length;
}

const backwards = (text: string): string => [...text].reverse().join('');
