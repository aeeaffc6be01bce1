/** A document as rows of a window: a heading for each part, and below it its lines unless it is folded. */
import { cells } from '../text/cells.ts';
import { clean } from '../text/clean.ts';
import { withoutSgr } from '../text/sgr.ts';
import type { Theme } from '../text/theme.ts';
import { wrap } from '../text/wrap.ts';

export interface ViewerDocument {
  readonly title: string;
  readonly parts: readonly ViewerPart[];
}

interface ViewerPart {
  /** One line, shown also when the part is folded. */
  readonly heading: string;
  /** Below the heading. Colours (SGR) are kept, everything else that drives a terminal is removed. */
  readonly lines: readonly string[];
  /** Default false. */
  readonly folded?: boolean;
}

export interface DocumentRow {
  readonly part: number;
  /** −1: the heading. */
  readonly line: number;
  readonly text: string;
}

/** A line that holds what is searched for. */
export interface DocumentMatch {
  readonly part: number;
  readonly line: number;
}

const INDENT = '  ';

export class DocumentRows {
  readonly #parts: readonly ViewerPart[];
  readonly #folded: boolean[];
  #columns = 0;
  /** Rows of each part that is unfolded, once they were needed. */
  #wrapped: (readonly DocumentRow[] | undefined)[] = [];
  #rows: readonly DocumentRow[] | undefined;

  constructor({ parts }: ViewerDocument) {
    this.#parts = parts;
    this.#folded = parts.map(({ folded = false, lines }) => folded && lines.length > 0);
  }

  get count(): number {
    return this.#parts.length;
  }

  isFolded(part: number): boolean {
    return this.#folded[part] === true;
  }

  setFolded(part: number, folded: boolean): void {
    if (this.#parts[part]?.lines.length === 0) return;
    this.#folded[part] = folded;
    this.#rows = undefined;
  }

  get anyFolded(): boolean {
    return this.#folded.includes(true);
  }

  /** All of them, for windows of this width. */
  rows(columns: number): readonly DocumentRow[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#wrapped = [];
      this.#rows = undefined;
    }
    this.#rows ??= this.#parts.flatMap((part, index) => {
      const text = clean(part.heading, 'sgr').replaceAll('\n', ' ');
      if (this.isFolded(index)) return [{ part: index, line: -1, text }];
      this.#wrapped[index] ??= [
        ...wrappedHeading(text, index, columns),
        ...wrappedLines(part, index, columns),
      ];
      return this.#wrapped[index];
    });
    return this.#rows;
  }

  /** The part as it can be read elsewhere. */
  textOf(part: number): string {
    const { heading = '', lines = [] } = this.#parts[part] ?? {};
    const content = lines.length > 0 ? lines : [heading];
    return withoutSgr(content.map((line) => clean(line, 'sgr')).join('\n'));
  }

  /** Capital letters in the query are looked for as they are. */
  search(query: string): readonly DocumentMatch[] {
    const matches: DocumentMatch[] = [];
    this.#parts.forEach(({ heading, lines }, part) => {
      [heading, ...lines].forEach((text, index) => {
        const plain = withoutSgr(clean(text, 'sgr'));
        if (indexIn(plain, query) >= 0) matches.push({ part, line: index - 1 });
      });
    });
    return matches;
  }
}

function wrappedHeading(text: string, part: number, columns: number): readonly DocumentRow[] {
  return wrap(text, columns, { hang: INDENT }).map((row) => ({ part, line: -1, text: row }));
}

function wrappedLines({ lines }: ViewerPart, part: number, columns: number): readonly DocumentRow[] {
  const width = Math.max(1, columns - cells(INDENT));
  return lines.flatMap((line, index) => {
    const text = clean(line, 'sgr');
    const hang = /^ */.exec(withoutSgr(text))?.[0].slice(0, width / 2) ?? '';
    return wrap(text, width, { hang }).map((row) => ({ part, line: index, text: INDENT + row }));
  });
}

/** A row with what was searched for made visible. */
export function markMatches(text: string, query: string, { warn, underline }: Theme): string {
  const plain = withoutSgr(text);
  const at = indexIn(plain, query);
  if (at < 0) return text;
  const end = at + query.length;
  return plain.slice(0, at) + underline(warn(plain.slice(at, end))) + plain.slice(end);
}

function indexIn(text: string, query: string): number {
  return (query === query.toLowerCase() ? text.toLowerCase() : text).indexOf(query);
}
