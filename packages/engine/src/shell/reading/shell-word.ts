import type { Word, WordPart } from 'unbash';
import { constantText, printsWord } from './constant-text.ts';
import type { ShellWord } from './segment.ts';
import { ANY, ANYTHING, knownText, type PatternPiece, type TextPattern } from './text-pattern.ts';

/** What a variable may hold, where that is known: `f` in the body of `for f in a b`. */
export type KnownVariables = ReadonlyMap<string, TextPattern>;

const NONE: KnownVariables = new Map();

/** Longer sequences may be any text. */
const MOST_NUMBERS = 100;

/** What a word says, and where that depends on what only the shell knows, what it may say. */
export function readWord(word: Word, variables: KnownVariables = NONE): ShellWord {
  const { text } = word;
  const reading: Reading = { pieces: [], many: false, splits: false, runsOn: false, told: true, variables };
  const { parts } = word;
  if (parts === undefined) addBare(text, reading);
  else
    for (const [at, part] of parts.entries()) {
      addPart(part, reading, false);
      // Braces are expanded first, so `$x{a,b}` speaks of the variables xa and xb.
      if (part.type === 'SimpleExpansion' && parts[at + 1]?.type === 'BraceExpansion') reading.splits = true;
    }
  const told = reading.told && { told: true as const };
  if (reading.splits) return { value: undefined, text, may: ANYTHING, many: true, ...told };
  const pieces = /(?:^|[=:])~/.test(text) ? withTilde(reading.pieces) : reading.pieces;
  const known = word.parts === undefined && pieces === reading.pieces ? word.value : knownText(pieces);
  const value = isPlain(pieces) ? known : undefined;
  return value === undefined
    ? { value, text, may: pieces, many: reading.many, ...told }
    : { value, text, may: [value], many: false };
}

interface Reading {
  readonly pieces: PatternPiece[];
  /** It may become several words, or none. */
  many: boolean;
  /** What it holds is cut into words at its blanks, and read as patterns. */
  splits: boolean;
  /** What follows may be part of a pattern or a name of which the parser saw only the beginning. */
  runsOn: boolean;
  /** All that is not known of it is printed by commands of the line, or a number. */
  told: boolean;
  readonly variables: KnownVariables;
}

/** No person writes a word of more pieces; variables that hold others would double them again and again. */
const MOST_PIECES = 1000;

/** Adds to what it may be. */
function add(reading: Reading, ...more: readonly PatternPiece[]): void {
  if (reading.runsOn) return;
  const isTooMuch = reading.pieces.length + more.length > MOST_PIECES;
  reading.pieces.push(...(isTooMuch ? [ANY] : more));
  reading.many ||= isTooMuch;
  reading.runsOn = isTooMuch;
}

/** From here on it may be anything. */
function runOn(reading: Reading): void {
  add(reading, ANY);
  reading.many = true;
  reading.told = false;
  reading.runsOn = true;
}

const isPlain = (pieces: TextPattern): boolean => pieces.every((piece) => typeof piece === 'string');

function addPart(part: WordPart, reading: Reading, quoted: boolean): void {
  switch (part.type) {
    case 'Literal':
      if (quoted) add(reading, part.value);
      else if (isBare(part.text)) add(reading, part.value);
      else addBare(part.text, reading);
      return;
    case 'SingleQuoted':
      add(reading, part.value);
      return;
    case 'DoubleQuoted':
      for (const each of part.parts) addPart(each, reading, true);
      return;
    case 'AnsiCQuoted':
      // Parsers differ about the rarer escapes.
      reading.told = false;
      add(reading, /^\$'(?:[^\\']|\\[ntr\\'"])*'$/.test(part.text) ? part.value : ANY);
      return;
    case 'SimpleExpansion':
      addVariable(part.text.slice(1), reading, quoted);
      return;
    case 'ParameterExpansion':
      if (part.prefix === '#') add(reading, { gap: 'digits' });
      else if (part.prefix === undefined && part.index === undefined && part.operation === undefined)
        addVariable(part.parameter, reading, quoted);
      else {
        add(reading, ANY);
        reading.told = false;
        if (!quoted) reading.splits = true;
        if (/^[@*]|\[[@*]\]/.test(part.parameter) || part.index !== undefined) reading.many = true;
        // Quotes inside it end those around it, and a brace between them doubles the whole word.
        if (part.text.indexOf('{', 2) > 0) reading.many = true;
      }
      return;
    case 'ArithmeticExpansion':
      add(reading, { gap: 'digits' });
      return;
    case 'CommandExpansion': {
      const constant = quoted ? constantText(part) : undefined;
      add(reading, constant ?? ANY);
      // Neither blanks nor a pattern come out of it.
      if (!quoted && printsWord(part)) reading.many = true;
      else if (!quoted) {
        reading.splits = true;
        reading.told = false;
      }
      return;
    }
    case 'Glob':
      if (part.kind === 'bracket') addClass(part.text, reading);
      else add(reading, { gap: part.kind === 'star' ? 'name' : 'char' });
      reading.many = true;
      reading.told = false;
      return;
    case 'BraceExpansion': {
      const options = /^\{([\w./-]*(?:,[\w./-]*)+)\}$/.exec(part.text)?.[1];
      if (/[[$`]/.test(part.text)) runOn(reading);
      else
        add(reading, options === undefined ? (parseRange(part.text) ?? ANY) : { oneOf: options.split(',') });
      reading.many = true;
      reading.told = false;
      return;
    }
    default:
      add(reading, ANY);
      reading.many = true;
      reading.told = false;
  }
}

/** `{1..5}` */
function parseRange(text: string): PatternPiece | undefined {
  const [, from, to] = /^\{([1-9]\d{0,5}|0)\.\.([1-9]\d{0,5}|0)\}$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  const count = Math.abs(last - first) + 1;
  if (from === undefined || to === undefined || count > MOST_NUMBERS) return undefined;
  return { oneOf: Array.from({ length: count }, (_, i) => String(first < last ? first + i : first - i)) };
}

/** A class of characters may also stand for itself, as it does with a slash in it. */
function addClass(text: string, reading: Reading): void {
  if (/[$`]/.test(text)) reading.splits = true;
  add(reading, text.includes('/') ? ANY : { gap: 'part' });
}

function addVariable(name: string, reading: Reading, quoted: boolean): void {
  const { variables } = reading;
  const known = variables.get(name);
  if (/^[?#$!]$/.test(name)) add(reading, { gap: 'digits' });
  else if (known !== undefined && (quoted || isOneWord(known))) {
    add(reading, ...known);
    // A pattern depends on the files that there are.
    if (known.some((piece) => typeof piece !== 'string' && !('oneOf' in piece))) reading.told = false;
  } else {
    add(reading, ANY);
    if (!TOLD.test(name)) reading.told = false;
    if (/^[@*]/.test(name)) reading.many = true;
    if (!quoted) reading.splits = true;
  }
}

/** Variables that say who and where the user is; a line that sets one of them is not covered. */
const TOLD = /^(?:HOME|LANG|LOGNAME|PATH|PWD|SHELL|TERM|USER)$/;

/** Without quotes it stays what it is. */
function isOneWord(pattern: TextPattern): boolean {
  return pattern.every((piece) => {
    if (typeof piece === 'string') return /^[\w./@%+:,=-]+$/.test(piece);
    return 'oneOf' in piece && piece.oneOf.every((text) => /^[\w./@%+:,=-]+$/.test(text));
  });
}

/** `~`, `~user` and `~+` are folders; so they are behind the signs that an assignment has. */
function withTilde(pieces: TextPattern): TextPattern {
  const [first, ...rest] = pieces;
  if (typeof first !== 'string') return ANYTHING;
  const behind = /^~[^/]*(.*)$/s.exec(first)?.[1];
  return behind === undefined ? ANYTHING : [ANY, behind, ...rest];
}

/** No glob or brace that the parser let pass; `{}` and the `[` of a test stand for themselves. */
function isBare(text: string): boolean {
  const plain = text
    .replace(/\\[\s\S]/g, '')
    .replaceAll('{}', '')
    // A revision of git: `stash@{0}`.
    .replace(/^([^{},]*)@\{[\w-]+\}(?=[^{},]*$)/, '$1');
  return plain === '[' || plain === '[[' || !/[*?[{$`]/.test(plain);
}

/** Text outside quotes. What looks like the beginning of more than the parser saw may be anything. */
function addBare(text: string, reading: Reading): void {
  if (isBare(text)) {
    add(reading, text.replace(/\\\n/g, '').replace(/\\([\s\S])/g, '$1'));
    return;
  }
  reading.many = true;
  reading.told = false;
  for (const [token] of text.matchAll(/\\[\s\S]|[\s\S]/g)) {
    if (token === '*') add(reading, { gap: 'name' });
    else if (token === '?') add(reading, { gap: 'char' });
    else if (/^[[{$`]$/.test(token)) runOn(reading);
    else if (token !== '\\\n') add(reading, token.replace(/^\\/, ''));
  }
}
