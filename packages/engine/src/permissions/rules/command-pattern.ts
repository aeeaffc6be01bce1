/** Command rules with a star elsewhere than as their last word: `docker compose exec * pytest`, `ls*`. */

import { matchesWildcards } from '@turnwright/base/text/wildcards.ts';
import type { Count } from '../../shell/reading/text-pattern.ts';

/** A character, a star for any text, one for any text within a word, or the end of a word. */
type Sign = { readonly char: string } | 'any' | 'inWord' | 'gap';

export interface CommandPattern {
  readonly signs: readonly Sign[];
  /** More words may follow. */
  readonly prefix: boolean;
}

/** undefined: the rule has no star of its own and no backslash, and names words. */
export function readCommandPattern(specifier: string): CommandPattern | undefined {
  const { text, prefix } = readSpecifier(specifier);
  const signs = parseSigns(text);
  return signs === undefined || !/[*\\]/.test(text) ? undefined : { signs, prefix };
}

/** The words of a rule, less their quotes; undefined where a quote is not closed. */
function parseSigns(text: string): readonly Sign[] | undefined {
  const signs: Sign[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote === '' && /\s/.test(char)) {
      if (signs.at(-1) !== 'gap' && signs.length > 0) signs.push('gap');
    } else if (quote !== "'" && char === '\\' && at + 1 < text.length)
      signs.push({ char: text.charAt(++at) });
    else if (char === quote) quote = '';
    else if (quote === '' && (char === "'" || char === '"')) quote = char;
    else if (char === '*') signs.push(quote === '' ? 'any' : 'inWord');
    else signs.push({ char });
  }
  return quote === '' ? signs : undefined;
}

/** The end of a word, which is no character. */
const GAP = null;
type Letter = string | typeof GAP;

/** Whether the words are ones of which the pattern speaks; a blank in a word is none between words. */
export function matchesCommand(
  { signs, prefix }: CommandPattern,
  words: readonly string[],
  count: Count,
): boolean {
  count(words.reduce((size, word) => size + word.length, words.length) >> 2);
  const line = words.flatMap((word, at): Letter[] => (at === 0 ? [...word] : [GAP, ...word]));
  if (fits(signs, line, count)) return true;
  return prefix && fits([...signs, 'gap', 'any'], line, count);
}

function fits(signs: readonly Sign[], line: readonly Letter[], count: Count): boolean {
  if (!signs.includes('inWord'))
    return matchesWildcards(
      signs,
      line,
      (sign) => sign === 'any',
      (sign, char) => (sign === 'gap' ? char === GAP : typeof sign === 'object' && sign.char === char),
      count,
    );
  return fitsInWords(signs, line, count);
}

/** With stars of two kinds: each state is how much of the pattern may have been read. */
function fitsInWords(signs: readonly Sign[], line: readonly Letter[], count: Count): boolean {
  const reached = (states: ReadonlySet<number>): ReadonlySet<number> => {
    const all = new Set(states);
    for (const at of all) if (signs[at] === 'any' || signs[at] === 'inWord') all.add(at + 1);
    return all;
  };
  let states = reached(new Set([0]));
  for (const char of line) {
    const next = new Set<number>();
    count(states.size);
    for (const at of states) {
      const sign = signs[at];
      if (sign === 'any' || (sign === 'inWord' && char !== GAP)) next.add(at);
      else if (sign === 'gap' ? char === GAP : typeof sign === 'object' && sign.char === char)
        next.add(at + 1);
    }
    states = reached(next);
    if (states.size === 0) return false;
  }
  return states.has(signs.length);
}

/** The words of the pattern, with their stars as `*` and other characters as they are. */
export function splitPatternWords({ signs }: CommandPattern): readonly (readonly Sign[])[] {
  const words: Sign[][] = [[]];
  for (const sign of signs) {
    if (sign === 'gap') words.push([]);
    else words.at(-1)?.push(sign);
  }
  return words;
}

/**
 * Whether the pattern names this word, which goes beyond what the program is for: it is written out, or, with
 * a star for its value, up to its sign: `--output=*`.
 */
export function namesWord(pattern: CommandPattern, word: string): boolean {
  return splitPatternWords(pattern).some((signs) => {
    const star = signs.findIndex((sign) => typeof sign === 'string');
    const head = signs.slice(0, star < 0 ? undefined : star);
    const text = head.map((sign) => (typeof sign === 'object' ? sign.char : '')).join('');
    return star < 0 ? text === word : text.includes('=') && word.startsWith(text);
  });
}

/** Whether the first word, which is the program, is written out. */
export function namesProgram(specifier: string): boolean {
  const pattern = readCommandPattern(specifier);
  return (
    pattern === undefined || (splitPatternWords(pattern)[0] ?? []).every((sign) => typeof sign === 'object')
  );
}

/** It also speaks of words that it does not name. */
export function isPrefix(specifier: string): boolean {
  return readSpecifier(specifier).prefix;
}

/** What a specifier names, and whether more words may follow. */
export function readSpecifier(specifier: string): { readonly text: string; readonly prefix: boolean } {
  if (specifier.endsWith(':*')) return { text: specifier.slice(0, -2).trim(), prefix: true };
  // With another star it means at least one word.
  if (/^[^*]* \*$/.test(specifier)) return { text: specifier.slice(0, -2).trim(), prefix: true };
  return { text: specifier, prefix: false };
}
