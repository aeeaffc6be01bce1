/**
 * Cuts what a terminal sends into tokens: characters, keys and answers. Pure: the same text always gives the
 * same tokens. Legacy sequences (xterm, VT, rxvt, the Linux console), modifyOtherKeys and the kitty protocol.
 */
import { csiToken, ss3Token } from './key-codes.ts';
import { type Key, type Meaning, NOTHING, plainKey } from './meaning.ts';

interface Token {
  readonly meaning: Meaning;
  /** Where the next token begins. */
  readonly end: number;
}

const ESC = '\x1b';
export const PASTE_START = '\x1b[200~';
export const PASTE_END = '\x1b[201~';

/** Longer ones are not sequences but noise; they are dropped up to here. */
const MAX_CSI_CHARS = 128;
const MAX_STRING_CHARS = 4096;

/** The token at `from`, or undefined: its end has not arrived yet. */
export function tokenAt(text: string, from: number): Token | undefined {
  const first = text[from];
  if (first === undefined) return undefined;
  if (first !== ESC) return character(text, from);
  const second = text[from + 1];
  switch (second) {
    case undefined:
      return undefined;
    case '[':
      return csi(text, from);
    case 'O':
      return ss3(text, from);
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X':
      return controlString(text, from);
    case ESC:
      return doubledEscape(text, from);
    default: {
      const { meaning, end } = character(text, from + 1);
      return { meaning: meaning.kind === 'key' ? { kind: 'key', key: withAlt(meaning.key) } : meaning, end };
    }
  }
}

/** What an unfinished sequence means when nothing follows it: keys that begin like one, or noise. */
export function readUnfinished(text: string): readonly Key[] {
  if (text === ESC) return [plainKey('escape')];
  if (text.startsWith(ESC + ESC)) return [plainKey('escape'), ...readUnfinished(text.slice(1))];
  const { meaning } = text.length === 2 ? character(text, 1) : { meaning: undefined };
  return meaning?.kind === 'key' ? [withAlt(meaning.key)] : [];
}

function character(text: string, at: number): Token {
  const code = text.codePointAt(at) ?? 0;
  const char = String.fromCodePoint(code);
  const end = at + char.length;
  if (code >= 0x80 && code < 0xa0) return { meaning: NOTHING, end };
  const key = keyOfCharacter(char, code);
  const typed = key.text ?? (code === 0x0d || code === 0x0a ? '\n' : code === 0x09 ? '\t' : undefined);
  return { meaning: { kind: 'key', key, ...(typed !== undefined && { text: typed }) }, end };
}

function keyOfCharacter(char: string, code: number): Key {
  if (code === 0x0d) return plainKey('enter');
  if (code === 0x09) return plainKey('tab');
  if (code === 0x7f) return plainKey('backspace');
  if (code === 0) return { ...plainKey('space'), ctrl: true };
  // Ctrl with a letter, then with one of \ ] ^ _.
  if (code <= 26) return { ...plainKey(String.fromCharCode(code + 0x60)), ctrl: true };
  if (code < 32) return { ...plainKey(String.fromCharCode(code + 0x40)), ctrl: true };
  if (code === 32) return { ...plainKey('space'), text: ' ' };
  const lower = char.toLowerCase();
  const upper = lower !== char && /\p{Lu}/u.test(char);
  return { ...plainKey(upper ? lower : char), text: char, shift: upper };
}

function withAlt({ text: _, ...key }: Key): Key {
  return { ...key, alt: true };
}

function csi(text: string, from: number): Token | undefined {
  // The Linux console sends F1 to F5 as `CSI [ A` to `CSI [ E`.
  if (text[from + 2] === '[') {
    const letter = text[from + 3];
    if (letter === undefined) return undefined;
    const number = 'ABCDE'.indexOf(letter) + 1;
    return number === 0
      ? { meaning: NOTHING, end: from + 3 }
      : { meaning: { kind: 'key', key: plainKey(`f${number}`) }, end: from + 4 };
  }
  let at = from + 2;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    // rxvt ends keys with Shift in `$`, which is otherwise an intermediate byte.
    const endsRxvtKey = code === 0x24 && /^\d+$/.test(text.slice(from + 2, at));
    if ((code >= 0x40 && code <= 0x7e) || endsRxvtKey)
      return { meaning: csiToken(text.slice(from + 2, at), text[at] as string), end: at + 1 };
    // A control character cannot be a part of it: another sequence or key begins here.
    if (code < 0x20 || code > 0x7e) return { meaning: NOTHING, end: at };
    at += 1;
    if (at - from > MAX_CSI_CHARS) return { meaning: NOTHING, end: at };
  }
  return undefined;
}

function ss3(text: string, from: number): Token | undefined {
  const found = /^(\d*)([\x21-\x2f\x3a-\x7e])/.exec(text.slice(from + 2, from + 6));
  if (found === null) {
    if (text.length < from + 6 && /^\d*$/.test(text.slice(from + 2))) return undefined;
    return { meaning: { kind: 'key', key: { ...plainKey('o'), shift: true, alt: true } }, end: from + 2 };
  }
  const [all, modifiers = '', letter = ''] = found;
  return { meaning: ss3Token(letter, modifiers), end: from + 2 + all.length };
}

/** OSC, DCS, APC, PM, SOS: up to ST, or BEL. Only the answer about the background says something. */
function controlString(text: string, from: number): Token | undefined {
  for (let at = from + 2; at < text.length; at += 1) {
    if (at - from > MAX_STRING_CHARS) return { meaning: NOTHING, end: at };
    const code = text.charCodeAt(at);
    if (code === 0x07) return { meaning: stringMeaning(text.slice(from + 1, at)), end: at + 1 };
    if (code !== 0x1b) continue;
    if (at + 1 === text.length) return undefined;
    if (text[at + 1] === '\\') return { meaning: stringMeaning(text.slice(from + 1, at)), end: at + 2 };
    return { meaning: NOTHING, end: at };
  }
  return undefined;
}

function stringMeaning(body: string): Meaning {
  const colour = /^\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(body);
  if (colour === null) return NOTHING;
  const values = colour.slice(1, 4).map((hex) => {
    const largest = 16 ** hex.length - 1;
    return Number.parseInt(hex, 16) / largest;
  });
  return { kind: 'reply', of: 'background', values };
}

/**
 * Alt with a key that is a sequence itself comes as two escapes from some terminals; else it is Escape twice.
 */
function doubledEscape(text: string, from: number): Token | undefined {
  const third = text[from + 2];
  if (third === undefined) return undefined;
  const isSequence = third === '[' || third === 'O';
  const inner = isSequence ? tokenAt(text, from + 1) : undefined;
  if (isSequence && inner === undefined) return undefined;
  if (inner?.meaning.kind === 'key')
    return { meaning: { kind: 'key', key: withAlt(inner.meaning.key) }, end: inner.end };
  return { meaning: { kind: 'key', key: plainKey('escape') }, end: from + 1 };
}

/** CSI sequences, and OSC, DCS and the like with their content. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^X][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)/g;

/** C0 apart from tab and line feed, DEL, and C1. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/** Pasted text as the user means it: without what would drive a terminal, and with one kind of line break. */
export function cleanPaste(text: string): string {
  return text.replace(SEQUENCES, '').replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}
