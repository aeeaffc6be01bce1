/**
 * Whether a command only reads, judged at once and without a parser: what is not plain to see does not count.
 */
import { plainWords } from '../../reading/plain-command.ts';
import { pathsRead } from '../../reading/plain-reader.ts';

/** Output that goes nowhere, or to where the other output goes. */
const HARMLESS_REDIRECT = / [12]?>(?: ?\/dev\/null|&[12])(?=[ ;|&]|$)/g;

/**
 * True for reading commands in a row (`|`, `&&`, `||`, `;`), so that the call may run beside others. Not for
 * `cd`, which later calls may notice.
 */
export function readsBySight(command: string): boolean {
  const pieces = splitCommand(command.trim().replace(HARMLESS_REDIRECT, ''));
  return pieces.length > 0 && pieces.every(isPlainRead);
}

function isPlainRead(piece: string): boolean {
  const words = plainWords(piece);
  return words !== undefined && words[0] !== 'cd' && words[0] !== 'set' && pathsRead(words) !== undefined;
}

/** Cut at operators outside quotes. A lone `&` stays in its piece, which then is not plain. */
function splitCommand(command: string): readonly string[] {
  const pieces: string[] = [];
  const cut = /'[^']*'|"[^"]*"|(&&|\|\||[|;])/g;
  let from = 0;
  for (const { 1: operator, index } of command.matchAll(cut)) {
    if (operator === undefined) continue;
    pieces.push(command.slice(from, index));
    from = index + operator.length;
  }
  return [...pieces, command.slice(from)].map((piece) => piece.trim());
}
