/** Prose that streams: a word that does not fit begins the next line. Lines of a fence stay as they are. */
import { cells } from '../../terminal/text/cells.ts';

interface WordWrap {
  /** Text as it may be written now; the beginning of a word waits for its end. */
  add(text: string): string;
  /** The rest; the next text begins a line. */
  end(): string;
}

const FENCE = /^ {0,3}(?:```|~~~)/;
/** Line feeds, blanks, and words. */
const PARTS = /\n|[^\S\n]+|\S+/g;

export function createWordWrap(columns: () => number): WordWrap {
  /** Cells of the row so far. */
  let column = 0;
  /** The source line so far. */
  let line = '';
  let isFenced = false;
  /** Blanks before the next word, and its beginning. */
  let blanks = '';
  let word = '';

  const flush = (): string => {
    const width = cells(word);
    const isBroken = column > 0 && word !== '' && !isFenced && column + blanks.length + width > columns();
    const text = isBroken ? `\n${word}` : blanks + word;
    column = isBroken ? width : column + blanks.length + width;
    line += blanks + word;
    blanks = '';
    word = '';
    return text;
  };
  const newLine = (): string => {
    const text = flush();
    if (FENCE.test(line)) isFenced = !isFenced;
    line = '';
    column = 0;
    return `${text}\n`;
  };
  return {
    add(text) {
      let out = '';
      for (const [part] of text.matchAll(PARTS)) {
        if (part === '\n') out += newLine();
        else if (part.trim() === '') {
          if (word !== '') out += flush();
          blanks += part;
        } else word += part;
      }
      return out;
    },
    end() {
      const text = flush();
      line = '';
      column = 0;
      isFenced = false;
      return text;
    },
  };
}
