/** Where words begin and end. */
import { nextBoundary, previousBoundary } from './buffer.ts';

/** Letters, digits, and a chip. */
const WORD = /[\p{L}\p{N}\p{M}_\ufffc]/u;
const BLANK = /\s/;

const isWord = (cluster: string) => WORD.test(cluster);
const isBlank = (cluster: string) => BLANK.test(cluster);
const not = (test: (cluster: string) => boolean) => (cluster: string) => !test(cluster);

export function wordLeft(text: string, at: number): number {
  return backOver(text, backOver(text, at, not(isWord)), isWord);
}

export function wordRight(text: string, at: number): number {
  return over(text, over(text, at, not(isWord)), isWord);
}

/** To the blank before the word, as Ctrl+W of a shell. */
export function blankWordLeft(text: string, at: number): number {
  return backOver(text, backOver(text, at, isBlank), not(isBlank));
}

function over(text: string, at: number, matches: (cluster: string) => boolean): number {
  let to = at;
  for (let next = to; next < text.length; to = next) {
    next = nextBoundary(text, to);
    if (!matches(text.slice(to, next))) break;
  }
  return to;
}

function backOver(text: string, at: number, matches: (cluster: string) => boolean): number {
  let to = at;
  for (let next = to; next > 0; to = next) {
    next = previousBoundary(text, to);
    if (!matches(text.slice(next, to))) break;
  }
  return to;
}
