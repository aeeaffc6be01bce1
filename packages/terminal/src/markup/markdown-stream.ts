/**
 * Markdown as it streams: rows of finished blocks once, rows of the unfinished one as often as they are asked
 * for.
 */
import type { Row } from '../renderer/frame.ts';
import { clean } from '../text/clean.ts';
import type { Theme } from '../text/theme.ts';
import { wrap } from '../text/wrap.ts';
import { type Block, BlockReader } from './blocks.ts';
import type { Highlighter } from './highlight.ts';
import { inlineText } from './inline.ts';
import { tableRows } from './table-rows.ts';

export interface MarkdownStream {
  push(text: string): void;
  /** Rows of the blocks that were finished since the last call. Lines of code are not wrapped. */
  takeClosed(columns: number): readonly Row[];
  /** The last rows of the unfinished block, at most `maxRows`. */
  open(columns: number, maxRows: number): readonly Row[];
  /** The text is over: rows of everything that was not taken. */
  end(columns: number): readonly Row[];
}

interface MarkdownOptions {
  readonly theme: Theme;
  readonly highlighter: Highlighter;
}

const MAX_RULE = 24;
/** Of an unfinished line no more is shown than fits a live region. */
const MAX_OPEN_LINE = 4_000;

export function createMarkdown(options: MarkdownOptions): MarkdownStream {
  return new Markdown(options);
}

/** A whole text at once. */
export function markdownRows(text: string, columns: number, options: MarkdownOptions): readonly Row[] {
  const stream = createMarkdown(options);
  stream.push(text);
  return stream.end(columns);
}

class Markdown implements MarkdownStream {
  readonly #options: MarkdownOptions;
  readonly #reader = new BlockReader();
  #closed: Block[] = [];
  /** Parts of the line that has not ended. */
  #rest: string[] = [];
  #code: ((lines: readonly string[]) => readonly Row[]) | undefined;

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  push(text: string): void {
    // Code often follows: its first lines would be plain if they came before the grammars.
    void this.#options.highlighter.load();
    const [first = '', ...lines] = text.split('\n');
    this.#rest.push(first);
    for (const line of lines) {
      this.#line();
      this.#rest.push(line);
    }
  }

  takeClosed(columns: number): readonly Row[] {
    const blocks = this.#closed.splice(0);
    return this.#rows(blocks, columns, (language) => {
      this.#code ??= this.#options.highlighter.begin(language);
      return this.#code;
    });
  }

  open(columns: number, maxRows: number): readonly Row[] {
    const rest = this.#rest.join('').slice(-MAX_OPEN_LINE);
    const rows = this.#rows(this.#reader.preview(rest, maxRows), columns, () => plainLines);
    return rows.slice(-maxRows);
  }

  end(columns: number): readonly Row[] {
    if (this.#rest.join('') !== '') this.#line();
    this.#closed.push(...this.#reader.close());
    return this.takeClosed(columns);
  }

  #line(): void {
    const line = this.#rest.splice(0).join('');
    this.#closed.push(...this.#reader.line(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  #rows(
    blocks: readonly Block[],
    columns: number,
    codeIn: (language: string) => (lines: readonly string[]) => readonly Row[],
  ): readonly Row[] {
    const rows: Row[] = [];
    // Lines of code that came together are coloured together.
    const code: string[] = [];
    for (const [at, block] of blocks.entries()) {
      if (block.isApart) (code.length > 0 ? code : rows).push('');
      if (block.kind !== 'code') {
        this.#code = undefined;
        rows.push(...this.#blockRows(block, columns));
        continue;
      }
      code.push(...block.lines);
      if (blocks[at + 1]?.kind !== 'code')
        rows.push(...indented(codeIn(block.language ?? '')(code.splice(0)), block.indent));
    }
    return rows;
  }

  #blockRows(block: Block, columns: number): readonly Row[] {
    const { theme } = this.#options;
    const { kind, lines, indent } = block;
    const room = Math.max(1, columns - indent);
    switch (kind) {
      case 'heading':
        return wrap(theme.bold(theme.accent(inlineText(readHeading(lines), theme))), columns);
      case 'rule':
        return [theme.dim('─'.repeat(Math.min(MAX_RULE, columns)))];
      case 'fence':
        // Colours tell code from text, so that it can be copied without its marks.
        return theme.hasColors ? [] : indented([clean(lines.join(''))], indent);
      case 'item':
        return indented(itemRows(lines, room, theme), indent);
      case 'table':
        return tableRows(lines.join('\n'), columns, theme) ?? wrap(inlineText(lines.join('\n'), theme), room);
      case 'quote': {
        const inner = lines.map((line) => line.replace(/^\s*> ?/, '')).join('\n');
        return markdownRows(inner, columns - 2, this.#options).map((row) => `${theme.dim('│')} ${row}`);
      }
      case 'paragraph':
      case 'code':
        return indented(wrap(inlineText(lines.join('\n'), theme), room), indent);
    }
  }
}

const plainLines = (lines: readonly string[]) => lines.map((line) => clean(line));

function indented(rows: readonly Row[], indent: number): readonly Row[] {
  return indent === 0 ? rows : rows.map((row) => (row === '' ? '' : ' '.repeat(indent) + row));
}

/** The words of a heading, in both forms: marked before it, or underlined. */
function readHeading(lines: readonly string[]): string {
  const [first = ''] = lines;
  return lines.length > 1
    ? lines.slice(0, -1).join(' ')
    : first.replace(/^#+\s*/, '').replace(/(?:^|\s+)#+\s*$/, '');
}

/** The mark of the item, and its text beside it; a box for one that can be ticked. */
function itemRows(lines: readonly string[], columns: number, theme: Theme): readonly Row[] {
  const [, mark = '', text = ''] = /^(\S+)\s*(.*)$/s.exec(lines.join('\n')) ?? [];
  const [, tick, words] = /^\[([ xX])\]\s+(.*)$/s.exec(text) ?? [];
  const bullet = /^\d/.test(mark) ? mark : '•';
  const box = tick === undefined ? '' : tick === ' ' ? '☐ ' : '☑ ';
  const hang = ' '.repeat(bullet.length + 1);
  const rows = wrap(box + inlineText(words ?? text, theme), Math.max(1, columns - hang.length));
  return rows.map((row, at) => (at === 0 ? `${bullet} ${row}`.trimEnd() : hang + row));
}
