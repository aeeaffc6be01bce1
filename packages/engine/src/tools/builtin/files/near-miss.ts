/** Why a text was not found although it looks the same: the invisible difference, by name. */

interface Difference {
  /** Which characters. */
  readonly what: string;
  /** Makes them all alike. */
  readonly fold: (text: string) => string;
}

const INVISIBLE = /[\ufe00-\ufe0f]|[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]/g;

const DIFFERENCES: readonly Difference[] = [
  {
    what: 'line ends (a lone carriage return)',
    fold: (text) => text.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n'),
  },
  {
    what: 'blanks that are no ordinary space',
    fold: (text) => text.replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' '),
  },
  { what: 'invisible characters', fold: (text) => text.replace(INVISIBLE, '') },
  {
    what: 'quotation marks, straight or curly',
    fold: (text) =>
      text
        .replace(/[\u2018\u2019\u201a\u201b\u2032`\u00b4]/g, "'")
        .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"'),
  },
  { what: 'dashes', fold: (text) => text.replace(/[\u2010-\u2015\u2212]/g, '-') },
  { what: 'the Unicode form of letters (composed or decomposed)', fold: (text) => text.normalize('NFC') },
  { what: 'full-width and other forms of the same letters', fold: (text) => text.normalize('NFKC') },
  { what: 'tabs and spaces', fold: (text) => text.replace(/[ \t]+/g, ' ') },
  { what: 'blanks at the ends of lines', fold: (text) => text.replace(/[ \t]+(?=\n|$)/g, '') },
];

/** Larger files are not looked through again. */
const MAX_CHARS = 4_000_000;
const MAX_SHOWN_CHARS = 300;

/** Why `wanted` is not found in `text`, in a sentence; undefined: it is not there in any form. */
export function nearMiss(text: string, wanted: string): string | undefined {
  if (text.length > MAX_CHARS) return undefined;
  for (const { what, fold } of DIFFERENCES) {
    const found = foundIn(text, wanted, fold);
    if (found !== undefined) return describeNearMiss(what, found, wanted);
  }
  const all = (each: string) => DIFFERENCES.reduce((so, { fold }) => fold(so), each);
  const found = foundIn(text, wanted, all);
  return found === undefined
    ? undefined
    : describeNearMiss('several kinds of characters that look alike', found, wanted);
}

/** The lines of the text that are the wanted ones once both are folded, from the line where they begin. */
function foundIn(
  text: string,
  wanted: string,
  fold: (text: string) => string,
): { readonly line: number; readonly shown: string } | undefined {
  const folded = fold(text);
  const at = folded.indexOf(fold(wanted));
  if (at < 0) return undefined;
  // Folding keeps line feeds, and may make more of them.
  const line = newlines(folded.slice(0, at));
  const count = newlines(fold(wanted)) + 1;
  return {
    line: line + 1,
    shown: text
      .split(/\r\n|\n|\r/)
      .slice(line, line + count)
      .join('\n'),
  };
}

const newlines = (text: string) => text.split('\n').length - 1;

function describeNearMiss(
  what: string,
  { line, shown }: { line: number; shown: string },
  wanted: string,
): string {
  const [own, other] = [oddIn(shown, wanted), oddIn(wanted, shown)];
  const has = [
    ...(own === '' ? [] : [`the file has ${own}`]),
    ...(other === '' ? [] : [`old_string has ${other}`]),
  ].join(', ');
  const text = JSON.stringify(shown.slice(0, MAX_SHOWN_CHARS)).replace(/[^\x20-\x7e]/gu, escaped);
  return `It is there from line ${line} on, but differs in ${what}${has === '' ? '' : `: ${has}`}. With such characters escaped, the file reads: ${text}`;
}

/** Characters beyond plain letters that only the first text has. */
function oddIn(text: string, other: string): string {
  const odd = new Set([...text].filter((letter) => !other.includes(letter) && /[^\p{L}\p{N}]/u.test(letter)));
  return [...odd].slice(0, 5).map(nameLetter).join(' and ');
}

const NAMES: Readonly<Record<string, string>> = {
  '\t': 'tab',
  '\r': 'carriage return',
  ' ': 'space',
  '\u00a0': 'no-break space',
  '\u202f': 'narrow no-break space',
  '\u3000': 'ideographic space',
  '\u200b': 'zero-width space',
  '\u200d': 'zero-width joiner',
  '\u00ad': 'soft hyphen',
  '\ufeff': 'byte order mark',
  '\u2018': 'left single quotation mark',
  '\u2019': 'right single quotation mark',
  '\u201c': 'left double quotation mark',
  '\u201d': 'right double quotation mark',
  '\u2013': 'en dash',
  '\u2014': 'em dash',
  '\u2212': 'minus sign',
};

function nameLetter(letter: string): string {
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const name = NAMES[letter];
  return name === undefined ? `U+${code}` : `U+${code} (${name})`;
}

const escaped = (letter: string) =>
  [...letter]
    .flatMap((each) => each.split(''))
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
