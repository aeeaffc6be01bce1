/**
 * Markdown as blocks, line by line, so that each block is known to be finished as early as possible, and a
 * long answer costs no more than its length. What a block says is left to the lexer (`render-block.ts`).
 */

export interface Block {
  readonly kind: 'paragraph' | 'heading' | 'item' | 'quote' | 'table' | 'rule' | 'fence' | 'code';
  /** Its lines, without the indentation. Of a fence: the line that opens or closes it. */
  readonly lines: readonly string[];
  /** Columns that the block is indented by, within a list. */
  readonly indent: number;
  /** An empty line was before it. */
  readonly isApart: boolean;
  /** Of a fence and its code. */
  readonly language?: string;
}

type TextKind = 'paragraph' | 'item' | 'quote' | 'table';

interface Fence {
  readonly mark: string;
  readonly indent: number;
  readonly language: string;
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(\s+|$)/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const QUOTE = /^ {0,3}>/;
const TABLE_RULE = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const INDENTED_CODE = 4;

export class BlockReader {
  /** Lines of the block that is not finished. */
  #lines: string[] = [];
  #kind: TextKind = 'paragraph';
  #indent = 0;
  #fence: Fence | undefined;
  /** Columns of the text of the last list item, while its list goes on. */
  #itemIndent = 0;
  #isApart = false;
  #hasBlocks = false;

  /** Blocks that this line finishes. */
  line(line: string): readonly Block[] {
    if (this.#fence !== undefined) return [this.#inFence(line, this.#fence)];
    if (line.trim() === '') return this.#blank();
    const opening = FENCE.exec(line);
    if (opening !== null) return [...this.close(), this.#openFence(opening)];
    if (this.#kind === 'table' && this.#lines.length > 0) {
      if (line.includes('|')) return this.#add(line);
      return [...this.close(), ...this.line(line)];
    }
    return this.#text(line);
  }

  /** The text is over, or a block of another kind begins. */
  close(): readonly Block[] {
    if (this.#lines.length === 0) return [];
    const block = this.#block(this.#kind, this.#lines, this.#indent);
    this.#lines = [];
    this.#kind = 'paragraph';
    return [block];
  }

  /**
   * What the lines so far and `rest` would be if the text ended here; of a long block only its last lines.
   */
  preview(rest: string, maxLines: number): readonly Block[] {
    const copy = new BlockReader();
    copy.#kind = this.#kind;
    copy.#indent = this.#indent;
    copy.#fence = this.#fence;
    copy.#itemIndent = this.#itemIndent;
    copy.#isApart = this.#isApart;
    copy.#hasBlocks = this.#hasBlocks;
    const head = this.#kind === 'table' ? 2 : 1;
    copy.#lines =
      this.#lines.length <= head + maxLines
        ? [...this.#lines]
        : [...this.#lines.slice(0, head), ...this.#lines.slice(-maxLines)];
    return [...(rest === '' ? [] : copy.line(rest)), ...copy.close()];
  }

  #text(line: string): readonly Block[] {
    const isParagraph = this.#kind === 'paragraph' && this.#lines.length > 0;
    if (isParagraph && this.#lines.length === 1 && this.#lines[0]?.includes('|') && TABLE_RULE.test(line)) {
      this.#kind = 'table';
      return this.#add(line);
    }
    if (isParagraph && UNDERLINE.test(line)) {
      const [lines, indent] = [this.#lines, this.#indent];
      this.#lines = [];
      return [this.#block('heading', [...lines, line], indent)];
    }
    if (RULE.test(line)) return [...this.close(), this.#block('rule', [line], 0)];
    if (HEADING.test(line)) return [...this.close(), this.#block('heading', [line.trimStart()], 0)];
    const item = ITEM.exec(line);
    if (item !== null) return this.#item(line, item);
    if (QUOTE.test(line) && this.#kind === 'quote' && this.#lines.length > 0) return this.#add(line);
    if (QUOTE.test(line)) return this.#begin('quote', line, 0);
    if (this.#lines.length > 0 && this.#kind !== 'quote') return this.#add(line.trimStart());
    const indent = countIndent(line);
    if (indent >= INDENTED_CODE + this.#itemIndent) return [...this.close(), this.#indentedCode(line)];
    if (indent < this.#itemIndent) this.#itemIndent = 0;
    return this.#begin('paragraph', line.trimStart(), this.#itemIndent);
  }

  #item(line: string, [, blanks = '', mark = '', after = '']: RegExpExecArray): readonly Block[] {
    const indent = countIndent(blanks);
    this.#itemIndent = indent + mark.length + Math.min(Math.max(after.length, 1), INDENTED_CODE);
    return this.#begin('item', line.trimStart(), indent);
  }

  #begin(kind: TextKind, line: string, indent: number): readonly Block[] {
    const closed = this.close();
    this.#kind = kind;
    this.#indent = indent;
    this.#lines = [line];
    return closed;
  }

  #add(line: string): readonly Block[] {
    this.#lines.push(line);
    return [];
  }

  #blank(): readonly Block[] {
    const closed = this.close();
    this.#isApart = true;
    return closed;
  }

  #indentedCode(line: string): Block {
    const indent = this.#itemIndent;
    return { ...this.#block('code', [line.slice(indent + INDENTED_CODE)], indent), language: '' };
  }

  #openFence([line, blanks = '', mark = '', language = '']: RegExpExecArray): Block {
    this.#isApart = true;
    this.#fence = { mark, indent: countIndent(blanks), language };
    if (this.#fence.indent < this.#itemIndent) this.#itemIndent = 0;
    return { ...this.#block('fence', [line.trim()], this.#itemIndent), language };
  }

  #inFence(line: string, { mark, indent, language }: Fence): Block {
    const closing = /^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1];
    if (closing?.startsWith(mark)) {
      this.#fence = undefined;
      const end = { ...this.#block('fence', [closing], this.#itemIndent), language };
      this.#isApart = true;
      return end;
    }
    const text = line.slice(Math.min(indent, countIndent(line)));
    return { ...this.#block('code', [text], this.#itemIndent), language };
  }

  #block(kind: Block['kind'], lines: readonly string[], indent: number): Block {
    const isApart = this.#isApart && this.#hasBlocks;
    this.#isApart = false;
    this.#hasBlocks = true;
    return { kind, lines, indent, isApart };
  }
}

const countIndent = (line: string): number => line.length - line.trimStart().length;
