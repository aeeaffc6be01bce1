/**
 * The sanitiser at the renderer's door. Text of models, tools, files and servers must not drive the terminal:
 * after it, no sequence is left but SGR, and what would be invisible or reorder text is shown.
 */
import { harmlessSgr, SGR_SOURCE } from './sgr.ts';
import { visible } from './visible.ts';

/** Printable characters of common scripts and line feeds: nothing to do. */
const HARMLESS =
  /^[\x20-\x7e\n\u00a1-\u00ac\u00ae-\u02ff\u0384-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u27bf\u3001-\u3163\u3165-\u9fff\uac00-\ud7a3]*$/;
const CSI = '(?:\x1b\\[|\x9b)';
/**
 * Sequences that are complete: CSI; strings (OSC, DCS, SOS, PM, APC) up to their end; other escapes. 7 and 8
 * bits.
 */
const SEQUENCE = new RegExp(
  [
    `${CSI}[0-?]*[ -/]*[@-~]`,
    '(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)',
    '\x1b[ -/]*[0-Z\\\\`-~]',
  ].join('|'),
  'g',
);
const SGR = new RegExp(`^${CSI}[\\d;:]*m$`);
const AT_TABS = new RegExp(`(\t|${SGR_SOURCE})`);
/** Blanks of no width, which terminals draw differently. */
const IGNORED = /[\u00ad\u115f\u1160\u3164\uffa0\ufff0-\ufff8]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const TAB = 8;

/**
 * `sgr` keeps colours and attributes, and drops all other sequences: for output of commands, and for rows
 * that carry our own. Without it every control character is shown as a picture. Tabs become blanks; line
 * feeds stay.
 */
export function clean(text: string, keep?: 'sgr'): string {
  if (HARMLESS.test(text)) return text;
  const plain = printable(text, keep).replace(LONE_SURROGATE, '\ufffd');
  return plain.includes('\t') ? plain.split('\n').map(withoutTabs).join('\n') : plain;
}

/** The same for text that is printed and scrolls away, in pieces: tabs stay, and halves of a character. */
export function printable(text: string, keep?: 'sgr'): string {
  if (HARMLESS.test(text)) return text;
  return (keep === 'sgr' ? withSgr(text) : visible(text)).replace(IGNORED, '');
}

function withSgr(text: string): string {
  let kept = '';
  let at = 0;
  const add = (part: string) => {
    kept += visible(part);
  };
  const lines = afterReturns(text);
  for (const { 0: sequence, index } of lines.matchAll(SEQUENCE)) {
    add(lines.slice(at, index));
    if (SGR.test(sequence)) kept += harmlessSgr(sequence);
    at = index + sequence.length;
  }
  add(lines.slice(at));
  return kept;
}

/** A progress bar writes its line again and again: the last writing counts. */
function afterReturns(text: string): string {
  return text.includes('\r') ? text.replace(/\r+\n/g, '\n').replace(/^.*\r(?!$)/gm, '') : text;
}

function withoutTabs(line: string): string {
  let column = 0;
  return line
    .split(AT_TABS)
    .map((part) => {
      if (part.startsWith('\x1b')) return part;
      const shown = part === '\t' ? ' '.repeat(TAB - (column % TAB)) : part;
      column += shown.length;
      return shown;
    })
    .join('');
}
