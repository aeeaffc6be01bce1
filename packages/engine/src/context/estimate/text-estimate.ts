/**
 * Estimates the tokens of a text without a tokenizer. The text is read once, as runs of one kind of
 * character: words by their length, digits and symbols by their number, other scripts by character. A long
 * run of letters and digits without a word in it is data (base64, hex) and is counted by character too.
 */

/** A word up to this long is one token; the rest of a longer one costs a token for so many characters. */
const WORD_CHARS = 6;
const REST_CHARS_PER_TOKEN = 5;
const DIGITS_PER_TOKEN = 2.2;
/** The first symbol of a run, and each further one. */
const SYMBOL = 0.95;
const MORE_SYMBOL = 0.25;
const NEWLINE = 0.6;
/** A letter with an accent breaks its word up. */
const ACCENT = 0.7;
/** A change from lower to upper case inside a word: the next part of a name. */
const HUMP = 0.7;
/** Runs of letters and digits from here on are data. */
const DATA_RUN = 32;
const BASE64_CHARS_PER_TOKEN = 1.43;
const HEX_CHARS_PER_TOKEN = 1.75;

const NEWLINE_CODE = 10;

/** Kinds of characters; letters and digits are words. What has none of these is judged by its script. */
const LOWER = 1;
const OTHER_WORD = 2;
const WORD = LOWER | OTHER_WORD;
const SPACE = 4;
const SIGN = 8;

/** By code, up to where letters with accents end. */
const KINDS = Uint8Array.from({ length: 0x370 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER;
  if ((code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code >= 0xc0) return OTHER_WORD;
  if (code === 32 || code === 9 || code === 13 || code === NEWLINE_CODE) return SPACE;
  return code > 32 && code < 0x7f ? SIGN : 0;
});

/** Tokens a character, by the first code of the script's range. */
const SCRIPTS: readonly (readonly [from: number, tokens: number])[] = [
  [0, 0.95], // control characters
  [0x80, 0.5], // signs of Latin scripts, Greek, Cyrillic
  [0x0590, 0.58], // Hebrew, Arabic
  [0x0900, 0.8], // the scripts of South and South-East Asia
  [0x1100, 0.8],
  [0x1e00, 0.5], // more Latin and Greek
  [0x2000, 0.8], // punctuation, arrows, box drawing
  [0x2e80, 1], // Chinese and Japanese
  [0xac00, 1.1], // Hangul
  [0xd7b0, 1], // the rest; emoji are two of these
];

/** Longer texts are sampled: evenly distributed stretches of this many characters. */
const READ_WHOLE = 256 * 1024;
const STRETCHES = 32;
const STRETCH_CHARS = 4 * 1024;

/** O(length) up to 256 K characters, beyond that O(1). */
export function estimateText(text: string): number {
  if (text.length <= READ_WHOLE) return Math.ceil(countTokens(text, 0, text.length));
  const step = Math.floor((text.length - STRETCH_CHARS) / (STRETCHES - 1));
  let tokens = 0;
  for (let i = 0; i < STRETCHES; i++) tokens += countTokens(text, i * step, i * step + STRETCH_CHARS);
  return Math.ceil((tokens / (STRETCHES * STRETCH_CHARS)) * text.length);
}

function countTokens(text: string, from: number, to: number): number {
  let tokens = 0;
  let at = from;
  while (at < to) {
    const start = at;
    let kinds = KINDS[text.charCodeAt(start)] ?? 0;
    at += 1;
    if ((kinds & WORD) !== 0) {
      for (; at < to; at += 1) {
        const kind = KINDS[text.charCodeAt(at)] ?? 0;
        if ((kind & WORD) === 0) break;
        kinds |= kind;
      }
      if (at - start >= DATA_RUN) at = endOfData(text, at, to);
      tokens += kinds === LOWER && at - start < DATA_RUN ? letters(at - start) : wordTokens(text, start, at);
    } else if (kinds === SPACE) {
      while (at < to && KINDS[text.charCodeAt(at)] === SPACE) at += 1;
      if (text.charCodeAt(start) === NEWLINE_CODE) tokens += NEWLINE;
      // The one space before a word is part of it.
      else if (at - start > 1) tokens += 1;
    } else if (kinds === SIGN) {
      while (at < to && KINDS[text.charCodeAt(at)] === SIGN) at += 1;
      tokens += SYMBOL + (at - start - 1) * MORE_SYMBOL;
    } else tokens += scriptTokens(text.charCodeAt(start));
  }
  return tokens;
}

/** Inside data the other characters of base64 belong to it. */
function endOfData(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBase64(text.charCodeAt(at))) at += 1;
  return at;
}

/** A word of so many letters. */
const letters = (count: number): number => 1 + Math.max(0, count - WORD_CHARS) / REST_CHARS_PER_TOKEN;

function wordTokens(text: string, from: number, end: number): number {
  const length = end - from;
  let digits = 0;
  let accents = 0;
  let humps = 0;
  let hex = true;
  let lower = false;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    const upper = code >= 65 && code <= 90;
    if (code < 58) digits += 1;
    else if (code >= 0x80) accents += 1;
    if (upper && lower) humps += 1;
    lower = code >= 97 && code <= 122;
    hex &&= code < 58 || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
  }
  if (length >= DATA_RUN && (digits > 0 || humps > length / 10)) {
    return length / (hex ? HEX_CHARS_PER_TOKEN : BASE64_CHARS_PER_TOKEN);
  }
  const word = length === digits ? 0 : letters(length - digits);
  return word + digits / DIGITS_PER_TOKEN + accents * ACCENT + humps * HUMP;
}

function scriptTokens(code: number): number {
  let tokens = 0;
  for (const [from, cost] of SCRIPTS) {
    if (code < from) break;
    tokens = cost;
  }
  return tokens;
}

/** + / = besides letters and digits. */
const isBase64 = (code: number): boolean =>
  code < 0x80 && (((KINDS[code] as number) & WORD) !== 0 || code === 43 || code === 47 || code === 61);
