/**
 * Wrapping into rows. Breaks at blanks and between wide characters; a word that is wider than a row is broken
 * between its clusters. Colours go on over a break: each row switches on what it needs and off what it leaves
 * on.
 */
import { cells, clusters } from './cells.ts';
import { RESET, SGR_SOURCE, SgrState } from './sgr.ts';

interface WrapOptions {
  /** Put before each row but the first of a line, within `columns`. */
  readonly hang?: string;
}

/** The lines of `text` (`\n`) as rows of at most `columns` cells. */
export function wrap(text: string, columns: number, { hang = '' }: WrapOptions = {}): readonly string[] {
  const width = Math.max(1, columns);
  const state = new SgrState();
  return text.split('\n').flatMap((line) => wrapLine(line, width, state, hang));
}

const PART = new RegExp(`${SGR_SOURCE}| +|(?:(?!${SGR_SOURCE})[^ ])+`, 'g');
/** Characters with a possible break on either side, as in Chinese and Japanese. */
const WIDE = /[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3fffd}]/u;
/** Closing marks, which never begin a row. */
const CLOSING =
  /^[\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff09\u300d\u300f\u3011\u3015\u3009\u300b\uff1a\uff1b\u2019\u201d\u2026\u30fc]/u;

function wrapLine(line: string, columns: number, state: SgrState, hang: string): readonly string[] {
  if (state.isPlain && !line.includes('\x1b') && cells(line) <= columns) return [line];
  const rows = new RowBuilder(columns, state, hang);
  const parts = line.match(PART) ?? [];
  const rests = wordRests(parts);
  for (const [at, part] of parts.entries()) {
    if (part.startsWith('\x1b')) rows.style(part);
    else if (part.startsWith(' ')) rows.blanks(part.length);
    else if (WIDE.test(part)) for (const piece of splitWord(part)) rows.word(piece.text, piece.cells);
    else rows.word(part, cells(part), rests[at]);
  }
  return rows.end();
}

/** Cells of each part and of what belongs to the same word behind it, in other colours. */
function wordRests(parts: readonly string[]): readonly number[] {
  const rests = parts.map(() => 0);
  let rest = 0;
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at] ?? '';
    if (part.startsWith(' ') || WIDE.test(part)) rest = 0;
    else if (!part.startsWith('\x1b')) rest += cells(part);
    rests[at] = rest;
  }
  return rests;
}

interface Piece {
  readonly text: string;
  readonly cells: number;
}

/**
 * A word with wide characters as what must not be separated: each of them, with the closing marks after it.
 */
function splitWord(word: string): readonly Piece[] {
  const pieces: { text: string; cells: number }[] = [];
  let mayBreak = true;
  for (const cluster of clusters(word)) {
    const last = pieces.at(-1);
    const isWide = WIDE.test(cluster.text);
    if (last === undefined || ((mayBreak || isWide) && !CLOSING.test(cluster.text)))
      pieces.push({ ...cluster });
    else {
      last.text += cluster.text;
      last.cells += cluster.cells;
    }
    mayBreak = isWide;
  }
  return pieces;
}

class RowBuilder {
  readonly #columns: number;
  readonly #state: SgrState;
  readonly #hang: string;
  readonly #rows: string[] = [];
  #row: string;
  #cells = 0;
  /** Cells of what hangs before the row. */
  #start = 0;
  /** Blanks before the next word, which a break drops. */
  #blanks = 0;
  #hasWord = false;

  constructor(columns: number, state: SgrState, hang: string) {
    this.#columns = columns;
    this.#state = state;
    this.#hang = hang;
    this.#row = state.text;
  }

  style(sequence: string): void {
    this.#writeBlanks();
    this.#state.apply(sequence);
    this.#row += sequence;
  }

  blanks(count: number): void {
    this.#blanks += count;
  }

  /** `rest`: cells that must not be separated from it, itself included. */
  word(text: string, width: number, rest = width): void {
    const most = this.#start + rest <= this.#columns ? rest : width;
    if (this.#cells + this.#blanks + most > this.#columns && this.#hasWord) this.#break();
    this.#writeBlanks();
    if (this.#cells + width <= this.#columns) this.#write(text, width);
    else
      for (const cluster of clusters(text)) {
        if (this.#cells + cluster.cells > this.#columns && this.#cells > this.#start) this.#break();
        this.#write(cluster.text, cluster.cells);
      }
  }

  end(): readonly string[] {
    this.#close();
    return this.#rows;
  }

  #write(text: string, width: number): void {
    this.#row += text;
    this.#cells += width;
    this.#hasWord = true;
  }

  /** At most what leaves room for one character. */
  #writeBlanks(): void {
    const count = Math.max(0, Math.min(this.#blanks, this.#columns - 1 - this.#cells));
    this.#row += ' '.repeat(count);
    this.#cells += count;
    this.#blanks = 0;
  }

  #break(): void {
    this.#close();
    this.#row = this.#hang + this.#state.text;
    this.#start = cells(this.#hang);
    this.#cells = this.#start;
    this.#blanks = 0;
    this.#hasWord = false;
  }

  #close(): void {
    this.#rows.push(this.#state.isPlain ? this.#row : this.#row + RESET);
  }
}
