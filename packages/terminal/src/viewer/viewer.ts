/**
 * Reading a long document: scrolling, folding, searching. What is drawn is a function of its state and the
 * size.
 */
import type { ActionName } from '../input/actions.ts';
import type { InputEvent } from '../input/events.ts';
import type { Row, ScreenFrame, Size } from '../renderer/frame.ts';
import { cells, cutRow } from '../text/cells.ts';
import type { Theme } from '../text/theme.ts';
import { oneLine } from '../text/visible.ts';
import {
  type DocumentMatch,
  type DocumentRow,
  DocumentRows,
  markMatches,
  type ViewerDocument,
} from './document-rows.ts';

interface ViewerOptions {
  readonly document: ViewerDocument;
  readonly theme: Theme;
  /** What is read first. Default `start`. */
  readonly at?: 'start' | 'end';
  /** Keys of an action, for the hints: `Bindings.keyOf`. */
  readonly keyOf: (action: ActionName) => string;
  /** The chosen part, for the clipboard: gives a sentence that is shown. */
  readonly copy: (text: string) => string;
  /** The chosen part, for the external editor. */
  readonly edit: (text: string) => void;
  readonly onClose: () => void;
}

interface Viewer {
  frame(size: Size): ScreenFrame;
  /** `action`: of the context `viewer`. False: the event means nothing here. */
  handle(event: InputEvent, action?: ActionName | 'chord'): boolean;
  /** A sentence in the last row, until the next key. */
  show(sentence: string): void;
}

export function createViewer(options: ViewerOptions): Viewer {
  return new DocumentViewer(options);
}

/** The title above and the hints below. */
const FRAME_ROWS = 2;
const CHOSEN = '› ';
const NOT_CHOSEN = '  ';
const MARGIN = 2;

class DocumentViewer implements Viewer {
  readonly #options: ViewerOptions;
  readonly #document: DocumentRows;
  #size: Size = { columns: 80, rows: 24 };
  /** The first row of the document that is shown. */
  #top = 0;
  #chosen = 0;
  /** Being typed. */
  #query: string | undefined;
  #search: { readonly query: string; readonly matches: readonly DocumentMatch[]; at: number } | undefined;
  #message: string | undefined;
  /** Once the size is known. */
  #atEnd: boolean;

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.#document = new DocumentRows(options.document);
    this.#atEnd = options.at === 'end';
  }

  show(sentence: string): void {
    this.#message = sentence;
  }

  handle(event: InputEvent, action?: ActionName | 'chord'): boolean {
    if (event.kind === 'reply') return false;
    this.#message = undefined;
    if (this.#query !== undefined) this.#typeQuery(this.#query, event, action);
    else if (event.kind === 'key' && action !== undefined && action !== 'chord') return this.#act(action);
    return true;
  }

  // Rows

  get #rows(): readonly DocumentRow[] {
    return this.#document.rows(Math.max(1, this.#size.columns - 1 - MARGIN));
  }

  get #page(): number {
    return Math.max(1, this.#size.rows - FRAME_ROWS);
  }

  get #lastTop(): number {
    return Math.max(0, this.#rows.length - this.#page);
  }

  #scrollTo(top: number): void {
    this.#top = Math.max(0, Math.min(top, this.#lastTop));
  }

  #headingOf(part: number): number {
    return this.#rows.findIndex((row) => row.part === part);
  }

  #endOf(part: number): number {
    return this.#rows.findLastIndex((row) => row.part === part);
  }

  #isShown(row: number): boolean {
    return row >= this.#top && row < this.#top + this.#page;
  }

  // Actions

  #act(action: ActionName): boolean {
    const { copy, edit, onClose } = this.#options;
    switch (action) {
      case 'viewUp':
      case 'viewDown':
        this.#step(action === 'viewUp' ? -1 : 1);
        return true;
      case 'viewPageUp':
      case 'viewPageDown':
        this.#scrollTo(this.#top + (action === 'viewPageUp' ? -this.#page : this.#page));
        this.#chooseShown();
        return true;
      case 'viewStart':
      case 'viewEnd':
        this.#scrollTo(action === 'viewStart' ? 0 : this.#lastTop);
        this.#chosen = action === 'viewStart' ? 0 : this.#document.count - 1;
        return true;
      case 'viewUnfold':
        this.#fold(this.#chosen, !this.#document.isFolded(this.#chosen));
        return true;
      case 'viewUnfoldAll': {
        const folded = !this.#document.anyFolded;
        for (let part = 0; part < this.#document.count; part += 1) this.#document.setFolded(part, folded);
        this.#scrollTo(this.#headingOf(this.#chosen));
        return true;
      }
      case 'viewSearch':
        this.#query = '';
        return true;
      case 'viewNextMatch':
      case 'viewPreviousMatch':
        this.#goToMatch(action === 'viewNextMatch' ? 1 : -1);
        return true;
      case 'viewCopy':
        this.#message = copy(this.#document.textOf(this.#chosen));
        return true;
      case 'viewEdit':
        edit(this.#document.textOf(this.#chosen));
        return true;
      case 'viewClose':
        onClose();
        return true;
      default:
        return false;
    }
  }

  /** Through a part that is longer than the window row by row, else to the next part. */
  #step(step: -1 | 1): void {
    const edge = step < 0 ? this.#headingOf(this.#chosen) : this.#endOf(this.#chosen);
    const next = this.#chosen + step;
    const isThrough = step < 0 ? edge >= this.#top : edge < this.#top + this.#page;
    if (!isThrough || next < 0 || next >= this.#document.count) {
      this.#scrollTo(this.#top + step);
      return;
    }
    this.#chosen = next;
    const row = step < 0 ? this.#endOf(next) : this.#headingOf(next);
    if (!this.#isShown(row)) this.#scrollTo(step < 0 ? row : row - this.#page + 1);
  }

  /** After scrolling: the first part of which something is shown, unless the chosen one still is. */
  #chooseShown(): void {
    const shown = this.#rows.slice(this.#top, this.#top + this.#page);
    if (shown.some(({ part }) => part === this.#chosen)) return;
    this.#chosen = (shown.find(({ line }) => line === -1) ?? shown[0])?.part ?? 0;
  }

  #fold(part: number, folded: boolean): void {
    this.#document.setFolded(part, folded);
    const heading = this.#headingOf(part);
    this.#scrollTo(heading < this.#top ? heading : this.#top);
  }

  // Search

  #typeQuery(
    query: string,
    event: Exclude<InputEvent, { kind: 'reply' }>,
    action: ActionName | 'chord' | undefined,
  ) {
    if (event.kind === 'paste') this.#query = query + event.text.replace(/\s+/g, ' ');
    else if (event.name === 'backspace')
      this.#query = query === '' ? undefined : [...query].slice(0, -1).join('');
    else if (event.name === 'enter') this.#startSearch(query);
    else if (event.text !== undefined) this.#query = query + event.text;
    else if (action === 'viewClose') this.#query = undefined;
  }

  #startSearch(query: string): void {
    this.#query = undefined;
    if (query === '') {
      this.#search = undefined;
      return;
    }
    const matches = this.#document.search(query);
    this.#search = { query, matches, at: -1 };
    // From what is being read.
    const first = this.#rows[this.#top];
    const here = matches.findIndex(
      ({ part, line }) =>
        first !== undefined && (part > first.part || (part === first.part && line >= first.line)),
    );
    this.#search.at = (here < 0 ? 0 : here) - 1;
    this.#goToMatch(1);
  }

  #goToMatch(step: -1 | 1): void {
    if (this.#search === undefined) return;
    const { matches, at, query } = this.#search;
    const found = matches[(at + step + matches.length) % Math.max(1, matches.length)];
    if (found === undefined) {
      this.#message = `“${oneLine(query)}” is not there`;
      return;
    }
    this.#search.at = matches.indexOf(found);
    this.#chosen = found.part;
    if (found.line >= 0) this.#document.setFolded(found.part, false);
    const row = this.#rows.findIndex(({ part, line }) => part === found.part && line === found.line);
    if (!this.#isShown(row)) this.#scrollTo(row - Math.floor(this.#page / 3));
    this.#message = `match ${this.#search.at + 1} of ${matches.length}`;
  }

  // Drawing

  frame(size: Size): ScreenFrame {
    this.#size = size;
    if (this.#atEnd) {
      this.#atEnd = false;
      this.#act('viewEnd');
    }
    this.#scrollTo(this.#top);
    const columns = Math.max(1, size.columns - 1);
    const shown = this.#rows.slice(this.#top, this.#top + this.#page);
    const body = shown.map((row) => cutRow(this.#draw(row), columns));
    const rows = [
      this.#title(columns),
      ...body,
      ...Array(this.#page - body.length).fill(''),
      this.#last(columns),
    ];
    if (this.#query === undefined) return { rows: rows.slice(0, size.rows) };
    return { rows, cursor: { row: rows.length - 1, column: Math.min(cells(this.#last(columns)), columns) } };
  }

  #draw(row: DocumentRow): Row {
    const { theme } = this.#options;
    const text = this.#search === undefined ? row.text : markMatches(row.text, this.#search.query, theme);
    if (row.line >= 0) return NOT_CHOSEN + text;
    const isChosen = row.part === this.#chosen && this.#document.count > 1;
    const fold = this.#document.isFolded(row.part) ? theme.dim(' …') : '';
    if (!isChosen) return `${NOT_CHOSEN}${text}${fold}`;
    const mark = row === this.#rows[this.#headingOf(row.part)] ? theme.accent(CHOSEN) : NOT_CHOSEN;
    return `${mark}${theme.bold(text)}${fold}`;
  }

  #title(columns: number): Row {
    const { document, theme } = this.#options;
    const end = Math.min(this.#top + this.#page, this.#rows.length);
    const place = `${end} of ${this.#rows.length}`;
    const title = cutRow(oneLine(document.title), columns - cells(place) - 2);
    return title === '' ? cutRow(place, columns) : `${theme.bold(title)}  ${theme.dim(place)}`;
  }

  #last(columns: number): Row {
    const { theme } = this.#options;
    if (this.#query !== undefined) return cutRow(`/${oneLine(this.#query)}`, columns);
    if (this.#message !== undefined) return theme.warn(cutRow(oneLine(this.#message), columns));
    return theme.dim(cutRow(this.#hints(), columns));
  }

  #hints(): string {
    const { keyOf } = this.#options;
    const isList = this.#document.count > 1;
    const hints: readonly (readonly [ActionName, string])[] = [
      ['viewClose', 'back'],
      ...(isList ? ([['viewUnfold', 'unfold']] as const) : []),
      ['viewSearch', 'search'],
      ['viewEdit', 'editor'],
      ['viewCopy', 'copy'],
      ['viewPageDown', 'page'],
    ];
    return hints.map(([action, what]) => `${keyOf(action)} ${what}`).join(' · ');
  }
}
