/** What control sequences mean: which key, with which modifiers, or which answer of the terminal. */
import { type Meaning, NOTHING, plainKey } from './meaning.ts';

/** Final letters of `CSI … letter` and `SS3 letter`. */
const LETTERS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'begin',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** Numbers of `CSI number ~`. */
const NUMBERS: Readonly<Record<string, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
  25: 'f13',
  26: 'f14',
  28: 'f15',
  29: 'f16',
  31: 'f17',
  32: 'f18',
  33: 'f19',
  34: 'f20',
};

/** Code points that stand for keys without a character of their own. */
const NAMED_POINTS: Readonly<Record<number, string>> = {
  9: 'tab',
  13: 'enter',
  27: 'escape',
  32: 'space',
  127: 'backspace',
};

/** Keys of the number pad in application mode: `SS3 letter`. */
const PAD_SIGNS: Readonly<Record<string, string>> = {
  X: '=',
  j: '*',
  k: '+',
  l: ',',
  m: '-',
  n: '.',
  o: '/',
};

/** The kitty protocol's private code points from 57399: the number pad. */
const FIRST_PAD_POINT = 57_399;
const PAD = [
  ...['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '/', '*', '-', '+', 'enter', '=', ','],
  ...['left', 'right', 'up', 'down', 'pageup', 'pagedown', 'home', 'end', 'insert', 'delete', 'begin'],
];
const FIRST_F13_POINT = 57_376;
const LAST_F35_POINT = 57_398;
const PRIVATE_POINTS = { first: 57_344, last: 63_743 };

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
/** Super and Hyper: keys of the window manager, which type nothing here. */
const FOREIGN = 8 | 16;
const META = 32;
const RELEASED = 3;

/** `CSI parameters final`. */
export function csiToken(parameters: string, final: string): Meaning {
  if (parameters.startsWith('?')) return privateReply(parameters.slice(1), final);
  // Reports of a mouse or of a mode that is never asked for.
  if (/[^\d;:]/.test(parameters)) return NOTHING;
  const fields = parameters.split(';').map((field) => field.split(':').map(parseNumber));
  const [first = [], second = [], third = []] = fields;
  const [number = 0] = first;
  const [modifiers = 1, event = 1] = second;
  if (event === RELEASED) return NOTHING;
  switch (final) {
    case 'u':
      return keyOfPoint(first, modifiers, third);
    case '~':
      if (number === 200) return { kind: 'paste-start' };
      if (number === 201) return { kind: 'paste-end' };
      return number === 27 ? keyOfPoint(third, modifiers, []) : named(NUMBERS[number], modifiers);
    case '$':
      return named(NUMBERS[number], 1 + SHIFT);
    case '^':
      return named(NUMBERS[number], 1 + CTRL);
    case '@':
      return named(NUMBERS[number], 1 + SHIFT + CTRL);
    case 'Z':
      return named('tab', 1 + (((modifiers || 1) - 1) | SHIFT));
    case 'R':
      // Without parameters it is F3, with two of them where the cursor is. A modified F3 has other forms.
      if (parameters !== '') return { kind: 'reply', of: 'cursor', values: [number, modifiers] };
      return named('f3', 1);
    case 'a':
    case 'b':
    case 'c':
    case 'd':
      return named(LETTERS[final.toUpperCase()], 1 + SHIFT);
    default:
      return named(LETTERS[final], modifiers);
  }
}

/** `SS3 letter`, with the modifiers that some terminals put before it. */
export function ss3Token(letter: string, modifiers: string): Meaning {
  if (letter === 'M') return named('enter', 1);
  const digit = letter.charCodeAt(0) - 'p'.charCodeAt(0);
  const sign = digit >= 0 && digit <= 9 ? String(digit) : PAD_SIGNS[letter];
  if (sign !== undefined) return typed(sign);
  if ('abcd'.includes(letter)) return named(LETTERS[letter.toUpperCase()], 1 + CTRL);
  return named(LETTERS[letter], modifiers === '' ? 1 : Number(modifiers));
}

function privateReply(parameters: string, final: string): Meaning {
  const mode = final === 'y' ? /^(2004);(\d)\$$/.exec(parameters) : null;
  if (mode !== null) return { kind: 'reply', of: 'pastes', values: mode.slice(1).map(Number) };
  const values = parameters.split(';').map(parseNumber);
  if (final === 'u') return { kind: 'reply', of: 'keyboard', values };
  if (final === 'c') return { kind: 'reply', of: 'device', values };
  if (final === 'R') return { kind: 'reply', of: 'cursor', values: values.slice(0, 2) };
  return NOTHING;
}

function named(name: string | undefined, modifiers: number): Meaning {
  const held = bits(modifiers);
  if (name === undefined || name === 'begin' || held === undefined) return NOTHING;
  return { kind: 'key', key: { name, ...held } };
}

function typed(text: string): Meaning {
  return { kind: 'key', key: { ...plainKey(text), text } };
}

/**
 * A key by its code point: the unshifted one, then the one with Shift and the one of the same key on a Latin
 * keyboard, as far as the terminal reports them.
 */
function keyOfPoint(points: readonly number[], modifiers: number, texts: readonly number[]): Meaning {
  const [point = 0, shifted = 0, base = 0] = points;
  const held = bits(modifiers);
  if (held === undefined || point === 0) return NOTHING;
  const name = NAMED_POINTS[point] ?? privateName(point);
  const types = !held.ctrl && !held.alt;
  if (name === 'begin') return NOTHING;
  if (name !== undefined && name.length > 1)
    return { kind: 'key', key: { name, ...held, ...(name === 'space' && types && { text: ' ' }) } };
  if (name !== undefined) return types ? typed(name) : named(name, modifiers);
  if (!isCharacter(point) || (point >= PRIVATE_POINTS.first && point <= PRIVATE_POINTS.last)) return NOTHING;
  return characterKey({ point, shifted, base }, held, texts);
}

function characterKey(
  { point, shifted, base }: { readonly point: number; readonly shifted: number; readonly base: number },
  held: Held,
  texts: readonly number[],
): Meaning {
  const types = !held.ctrl && !held.alt;
  // A shortcut is meant by the place of its key where the layout has no Latin letters.
  const meant = !types && point > 0x7f && isCharacter(base) ? base : point;
  const lower = String.fromCodePoint(meant).toLowerCase();
  const isLetter = lower !== lower.toUpperCase();
  const withShift = isCharacter(shifted)
    ? String.fromCodePoint(shifted)
    : isLetter
      ? lower.toUpperCase()
      : lower;
  const plain = held.shift ? withShift : lower;
  const text = texts.length > 0 && texts.every(isCharacter) ? String.fromCodePoint(...texts) : plain;
  return {
    kind: 'key',
    key: {
      name: held.shift && !isLetter ? withShift : lower,
      ctrl: held.ctrl,
      alt: held.alt,
      shift: held.shift && isLetter,
      ...(types && { text }),
    },
  };
}

/** No control character, and no half of a pair. */
function isCharacter(point: number): boolean {
  return (
    (point >= 32 && point < 0x7f) ||
    (point >= 0xa0 && point < 0xd800) ||
    (point > 0xdfff && point <= 0x10ffff)
  );
}

function privateName(point: number): string | undefined {
  if (point >= FIRST_F13_POINT && point <= LAST_F35_POINT) return `f${point - FIRST_F13_POINT + 13}`;
  return PAD[point - FIRST_PAD_POINT];
}

interface Held {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** The locks (Caps, Num) are not looked at. Undefined: a shortcut of the window manager. */
function bits(modifiers: number): Held | undefined {
  const held = Math.max(0, modifiers - 1);
  if ((held & FOREIGN) !== 0) return undefined;
  return { ctrl: (held & CTRL) !== 0, alt: (held & (ALT | META)) !== 0, shift: (held & SHIFT) !== 0 };
}

function parseNumber(text: string): number {
  return text === '' ? 0 : Number(text);
}
