/** The draft of a prompt: what keys and pastes make of it, and how it is drawn. */
import type { ActionName, BindingContext } from '../input/actions.ts';
import type { InputEvent, KeyEvent } from '../input/events.ts';
import type { ScreenFrame } from '../renderer/frame.ts';
import {
  type Buffer,
  type Draft,
  EMPTY,
  joined,
  type LongPaste,
  moveTo,
  shownText,
  toDraft,
} from './buffer.ts';
import { ChipMaker } from './chips.ts';
import { type Chosen, Completion, isListAction, type ListAction } from './completion.ts';
import { DraftText } from './draft-text.ts';
import { editorFrame, textWidth } from './editor-frame.ts';
import type { EditorOptions } from './editor-options.ts';
import { HistorySearch, HistoryWalk } from './history-walk.ts';
import { layOut, locateCursor, placeIn } from './layout.ts';
import { TakenDrafts } from './taken-drafts.ts';

export interface Editor {
  /** As it is shown: pastes and images by their labels. */
  readonly text: string;
  readonly isEmpty: boolean;
  /** As it would be sent, with the `!` of a shell command. */
  readonly draft: Draft;
  /** `shell`: the text begins with `!`. */
  readonly mode: 'prompt' | 'shell';
  /** Where its keys are looked up now. */
  readonly context: BindingContext;
  /** False: the event means nothing here. `send` is not taken when the draft shall be sent. */
  handle(event: InputEvent, action?: ActionName | 'chord'): boolean;
  /** At most `columns` cells wide; with its list or search at most `maxRows` high. */
  frame(columns: number, maxRows: number): ScreenFrame;
  /** The present text can be had back by undo. */
  replace(draft: Draft): void;
  /** Puts a draft before the present text, on lines of its own. */
  prepend(draft: Draft): void;
  /** Empties it, and adds it to the history. Without the `!` of a shell command. */
  take(): Draft;
  /** Empties it, and leaves the history as it is. `replace` brings the draft back. */
  putAside(): Draft;
  clear(): void;
  /** The long pastes in it. */
  readonly pastes: readonly LongPaste[];
  /** `text` as it comes back from an external editor: labels are chips again. */
  importText(text: string): void;
}

export function createEditor(options: EditorOptions): Editor {
  return new DraftEditor(options);
}

const SHELL = '!';
const DEFAULT_COLUMNS = 80;

class DraftEditor implements Editor {
  readonly #options: EditorOptions;
  readonly #completion: Completion;
  readonly #draft = new DraftText((buffer) => this.#completion.update(buffer));
  readonly #chips = new ChipMaker();
  readonly #taken = new TakenDrafts();
  #walk: HistoryWalk;
  #search: HistorySearch | undefined;
  #columns = DEFAULT_COLUMNS;
  /** The column that ↑ and ↓ go for. */
  #goal: number | undefined;

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#completion = new Completion(options.sources, options.onChange);
    this.#walk = new HistoryWalk(options.history);
  }

  get #buffer(): Buffer {
    return this.#draft.buffer;
  }

  get text(): string {
    return shownText(this.#buffer);
  }

  get draft(): Draft {
    return toDraft(this.#buffer);
  }

  get isEmpty(): boolean {
    return this.#buffer.text === '';
  }

  get mode(): 'prompt' | 'shell' {
    return this.#buffer.text.startsWith(SHELL) ? 'shell' : 'prompt';
  }

  get context(): BindingContext {
    if (this.#search !== undefined) return 'search';
    if (this.#completion.isOpen) return 'completion';
    return this.isEmpty ? 'empty' : 'editor';
  }

  get pastes(): readonly LongPaste[] {
    return this.#buffer.chips.filter((chip) => chip.kind === 'paste');
  }

  handle(event: InputEvent, action?: ActionName | 'chord'): boolean {
    if (event.kind === 'reply') return false;
    if (action === 'chord') return true;
    const isTaken = event.kind === 'paste' ? this.#paste(event.text) : this.#key(event, action);
    this.#draft.ended(action);
    if (action !== 'up' && action !== 'down') this.#goal = undefined;
    return isTaken;
  }

  frame(columns: number, maxRows: number): ScreenFrame {
    this.#columns = columns;
    const { theme, placeholder } = this.#options;
    const search = this.#search;
    const buffer = search?.found ?? this.#buffer;
    const drawn = {
      buffer,
      mark: (buffer.text.startsWith(SHELL) ? theme.warn : theme.accent)('›'),
      placeholder: placeholder?.() ?? '',
      list: (width: number, most: number) => this.#completion.rows(width, most, theme),
      search: search && {
        label: search.query !== '' && !search.hasMatch ? 'no such prompt' : 'search prompts',
        query: search.query,
      },
    };
    return editorFrame(drawn, { columns, rows: maxRows }, theme);
  }

  replace(draft: Draft): void {
    this.#put(this.#taken.bufferOf(draft, this.#chips));
  }

  prepend(draft: Draft): void {
    this.#put(joined(this.#taken.bufferOf(draft, this.#chips), this.#buffer));
  }

  take(): Draft {
    const buffer = this.#buffer;
    const { text, images } = toDraft(buffer);
    const draft = { text: this.mode === 'shell' ? text.slice(SHELL.length) : text, images };
    this.#taken.note(draft, buffer);
    this.#options.history.add(buffer);
    this.clear();
    return draft;
  }

  putAside(): Draft {
    const { draft } = this;
    this.#taken.note(draft, this.#buffer);
    this.clear();
    return draft;
  }

  clear(): void {
    this.#search = undefined;
    if (!this.isEmpty) this.#draft.change(EMPTY);
    this.#walk = new HistoryWalk(this.#options.history);
    this.#chips.reset();
  }

  importText(text: string): void {
    const piece = this.#chips.fromLabels(text, this.#buffer.chips);
    this.#put({ ...piece, cursor: piece.text.length });
  }

  #put(buffer: Buffer): void {
    this.#draft.change(buffer);
    this.#options.onChange();
  }

  #key(event: KeyEvent, action: ActionName | undefined): boolean {
    if (this.#search !== undefined) return this.#searchKey(this.#search, event, action);
    if (this.#completion.isOpen && isListAction(action)) return this.#listKey(action);
    if (action !== undefined) return this.#act(action);
    if (event.text === undefined) return false;
    this.#draft.type(this.#chips.paste(event.text));
    return true;
  }

  #act(action: ActionName): boolean {
    switch (action) {
      case 'up':
      case 'down':
        return this.#goVertically(action === 'up' ? -1 : 1);
      case 'send':
        return this.#draft.breakEscapedLine();
      case 'complete':
        this.#completion.update(this.#buffer, true);
        return true;
      case 'historySearch':
        this.#completion.close(this.#buffer);
        this.#search = new HistorySearch(this.#options.history, this.#buffer);
        return true;
      case 'pasteImage':
        void this.#pasteImage();
        return true;
      default:
        return this.#draft.act(action);
    }
  }

  /** A row up or down, and from the first and the last one into the history. */
  #goVertically(step: -1 | 1): boolean {
    const rows = layOut(this.#buffer, textWidth(this.#columns));
    const { row, column } = locateCursor(rows, this.#buffer.cursor);
    this.#goal ??= column;
    if (rows[row + step] !== undefined) {
      this.#draft.move(moveTo(this.#buffer, placeIn(rows, row + step, this.#goal)));
      return true;
    }
    const found = this.#walk.go(step, this.#buffer);
    if (found === undefined) return false;
    this.#draft.change(found);
    // A prompt of the history may be a command: its list would take the keys that go on.
    this.#completion.close(found);
    return true;
  }

  #listKey(action: ListAction): boolean {
    const completion = this.#completion;
    switch (action) {
      case 'choosePrevious':
      case 'chooseNext':
        completion.move(action === 'choosePrevious' ? -1 : 1);
        return true;
      case 'accept':
      case 'complete':
        this.#accept(completion.chosenOrFirst, ' ');
        return true;
      case 'interrupt':
        completion.close(this.#buffer);
        return true;
      case 'send':
        return this.#acceptByEnter(completion.chosen);
    }
  }

  /** A command that is complete is sent in the same step. */
  #acceptByEnter(chosen: Chosen | undefined): boolean {
    if (chosen === undefined || chosen.isWritten) return this.#draft.breakEscapedLine();
    const { continues, waits } = chosen.candidate;
    const isSent = chosen.isCommand && continues !== true && waits !== true;
    this.#accept(chosen, isSent ? '' : ' ');
    return !isSent;
  }

  #accept(chosen: Chosen | undefined, blank: string): void {
    if (chosen === undefined) return;
    const { text, cursor } = this.#buffer;
    const completed = chosen.candidate.text;
    const needsBlank = !/[/\s]$/.test(completed) && !/^\s/.test(text.slice(cursor));
    this.#draft.replaceRange(chosen.from, { text: completed + (needsBlank ? blank : ''), chips: [] });
    if (chosen.candidate.continues !== true) this.#completion.close(this.#buffer);
  }

  #searchKey(search: HistorySearch, event: KeyEvent, action: ActionName | undefined): boolean {
    switch (action) {
      case 'searchOlder':
      case 'searchNewer':
        search.go(action === 'searchOlder' ? -1 : 1);
        return true;
      case 'deleteBack':
        search.type([...search.query].slice(0, -1).join(''));
        return true;
      case 'interrupt':
      case 'clear':
        this.#search = undefined;
        return true;
      case undefined:
        if (event.text !== undefined) search.type(search.query + event.text);
        return true;
      default:
        this.#search = undefined;
        if (search.hasMatch) this.#draft.change(search.found);
        this.#completion.close(this.#buffer);
        // Enter takes the prompt that was found; the next one sends it.
        return action === 'accept' || action === 'send' || this.#act(action);
    }
  }

  #paste(text: string): true {
    if (this.#search !== undefined) this.#search.type(this.#search.query + text.replace(/\s+/g, ' '));
    else if (text === '') void this.#pasteImage();
    else {
      const images = this.#options.images.named(text);
      this.#draft.insert(images === undefined ? this.#chips.paste(text) : this.#chips.images(images));
    }
    return true;
  }

  async #pasteImage(): Promise<void> {
    const found = await this.#options.images.clipboard();
    if ('problem' in found) this.#options.onProblem(found.problem);
    else this.#draft.insert(this.#chips.images([found.image]));
    this.#options.onChange();
  }
}
