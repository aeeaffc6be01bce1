/**
 * A question over the editor, made of pages. While someone types it is one folded line; long content scrolls
 * inside; the viewer shows all of it.
 */
import type { InputEvent, KeyEvent } from '@turnwright/terminal/input/events.ts';
import { nameOfKey, shownKeys } from '@turnwright/terminal/input/key-names.ts';
import type { Row, ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { cells, cutRow } from '@turnwright/terminal/text/cells.ts';
import { clean } from '@turnwright/terminal/text/clean.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { edited } from '../commands/list-parts/line-field.ts';
import type { Overlay, OverlayHost } from '../overlay.ts';
import { type DialogKeys, shortKey } from './dialog-keys.ts';
import type { DialogPage, KeyOutcome } from './dialog-page.ts';
import { dueMs, type Guard, newGuard, stepGuard } from './key-guard.ts';

interface DialogOptions<T> {
  /** Shown first, and again after the question was folded. */
  readonly first: DialogPage<T>;
  /** Its number among the questions that wait together, and how many there are. */
  place(): { readonly number: number; readonly of: number };
  readonly keys: DialogKeys;
  /** Aborted: the question is withdrawn, and the dialog closes without an answer. */
  readonly signal: AbortSignal;
}

const PAGE_ROWS = 5;
const HEAD_ROWS = 2;
const SCROLLS: Readonly<Record<string, number>> = {
  up: -1,
  down: 1,
  pageup: -PAGE_ROWS,
  pagedown: PAGE_ROWS,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

export function openDialog<T>(host: OverlayHost, options: DialogOptions<T>): Overlay<T> {
  return new Dialog(host, options);
}

class Dialog<T> implements Overlay<T> {
  readonly closed: Promise<T | undefined>;
  readonly #host: OverlayHost;
  readonly #options: DialogOptions<T>;
  #page: DialogPage<T>;
  #guard: Guard;
  /** First row of the body that is shown. */
  #top = 0;
  #mostTop = 0;
  #cancelTimer = () => {};
  #close: (answer: T | undefined) => void = () => {};

  constructor(host: OverlayHost, options: DialogOptions<T>) {
    this.#host = host;
    this.#options = options;
    this.#page = options.first;
    this.#guard = newGuard(host.typing().lastKeyMs);
    const onAbort = () => this.#end(undefined);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
    if (options.signal.aborted) onAbort();
    else {
      options.signal.addEventListener('abort', onAbort, { once: true });
      void this.closed.then(() => options.signal.removeEventListener('abort', onAbort));
      this.#unfoldWhenQuiet();
    }
  }

  /** A page with a line of its own has the cursor. */
  get keepsEditor(): boolean {
    return !this.#guard.isShown || this.#page.field === undefined;
  }

  frame(size: Size): ScreenFrame {
    return this.#guard.isShown ? this.#shown(size) : { rows: [this.#folded(size.columns)] };
  }

  onEvent(event: InputEvent): boolean {
    if (event.kind === 'reply') return false;
    if (event.kind === 'key' && matchesKey(event, this.#options.keys.show))
      return this.#step({ kind: 'show', atMs: event.atMs });
    const field = this.#guard.isShown ? this.#page.field : undefined;
    if (field !== undefined && this.#typed(field, event)) return true;
    if (event.kind === 'paste') return this.#step({ kind: 'paste', atMs: event.atMs });
    return this.#key(event);
  }

  #key(event: KeyEvent): boolean {
    const { atMs } = event;
    const name = nameOfKey(event);
    const shown = this.#guard.isShown;
    if (name === 'escape') return shown && this.#take(this.#page.escape());
    const move = this.#page.moves?.[name];
    if (shown && move !== undefined)
      return this.#step({ kind: 'key', atMs, means: 'move' }) && this.#take(move());
    if (shown && matchesKey(event, this.#options.keys.view)) {
      void this.#host.view(this.#page.document());
      return this.#step({ kind: 'key', atMs, means: 'move' });
    }
    const scroll = SCROLLS[name];
    if (shown && scroll !== undefined) {
      this.#top = Math.max(0, Math.min(this.#mostTop, this.#top + scroll));
      return this.#step({ kind: 'key', atMs, means: 'move' });
    }
    const choice = this.#choiceBy(event, name);
    const means = choice === undefined ? 'other' : 'choice';
    const { guard, to } = stepGuard(this.#guard, { kind: 'key', atMs, means });
    this.#enter(guard);
    return to === 'decides' && choice !== undefined ? this.#take(choice()) : to !== 'editor';
  }

  #choiceBy({ text, ctrl, alt }: KeyEvent, name: string): (() => KeyOutcome<T>) | undefined {
    const page = this.#page;
    if (Object.hasOwn(page.choices, name)) return page.choices[name];
    const { write } = page;
    const begins = text !== undefined && text.trim() !== '' && !ctrl && !alt;
    return begins && write !== undefined ? () => write(text) : undefined;
  }

  /** Text of the page's own line. It decides by Enter alone, and no paste holds one. */
  #typed(field: NonNullable<DialogPage<T>['field']>, event: InputEvent): boolean {
    if (event.kind === 'key' && nameOfKey(event) === 'enter') return this.#take(field.submit());
    const next = edited(field.now, event);
    if (next === undefined) return false;
    field.change(next);
    this.#host.invalidate();
    return true;
  }

  #step(event: Parameters<typeof stepGuard>[1]): boolean {
    const { guard, to } = stepGuard(this.#guard, event);
    this.#enter(guard);
    return to !== 'editor';
  }

  #enter(guard: Guard): void {
    if (guard.isShown !== this.#guard.isShown) {
      this.#page.unmark?.();
      if (this.#page.keepsPlace === undefined) this.#page = this.#options.first;
      this.#top = 0;
    }
    this.#guard = guard;
    this.#host.invalidate();
    this.#unfoldWhenQuiet();
  }

  #unfoldWhenQuiet(): void {
    this.#cancelTimer();
    if (this.#guard.isShown) return;
    const { clock } = this.#host;
    const atMs = clock.monotonicMs();
    const restMs = dueMs(this.#guard) - atMs;
    if (restMs > 0) {
      // Timers may fire a little early: then the rest is waited for.
      this.#cancelTimer = clock.timer(Math.ceil(restMs), () => this.#unfoldWhenQuiet());
      return;
    }
    const { draftIsEmpty } = this.#host.typing();
    const { guard } = stepGuard(this.#guard, { kind: 'time', atMs, draftIsEmpty });
    if (guard.isShown) this.#enter(guard);
  }

  #take(turn: KeyOutcome<T>): true {
    if (turn.kind === 'answer') this.#end(turn.answer);
    if (turn.kind === 'page') {
      this.#page = turn.page;
      this.#top = 0;
    }
    this.#host.invalidate();
    return true;
  }

  #end(answer: T | undefined): void {
    this.#cancelTimer();
    this.#close(answer);
  }

  #folded(columns: number): Row {
    const { theme } = this.#host;
    const [key] = this.#options.keys.show;
    const hint = key === undefined ? '' : ` · ${key} shows it`;
    const { title, summary = title } = this.#page;
    const about = `${this.#counter()}${oneLine(summary)}`;
    return theme.warn(`${cutRow(`▸ waits for your answer: ${about}`, columns - hint.length)}${hint}`);
  }

  #counter(): string {
    const { number, of } = this.#options.place();
    return of > 1 ? `${number} of ${of}: ` : '';
  }

  #shown({ columns, rows }: Size): ScreenFrame {
    const { theme } = this.#host;
    const page = this.#page;
    const title = wrap(`${this.#counter()}${clean(page.title)}`, columns - 2, { hang: '  ' });
    const head = title
      .slice(0, HEAD_ROWS)
      .map((row, at) => theme.bold(theme.accent(at === 0 ? `? ${row}` : row)));
    // In a very low window the choices, which come last, stay.
    const foot = [...page.foot(columns).slice(-Math.max(1, rows - head.length - 1))];
    const input = page.field;
    if (input !== undefined) foot.push(fieldRow(input.label, input.now, columns).row);
    const room = Math.max(0, rows - head.length - foot.length);
    // A long title goes on in the part that scrolls.
    const all = [
      ...title.slice(HEAD_ROWS).map((row) => theme.bold(theme.accent(row))),
      ...page.body(columns),
    ];
    const body = this.#visible(all, { columns, room }, page.focus?.(columns));
    const shown = [...head, ...body, ...foot];
    if (input === undefined) return { rows: shown };
    return {
      rows: shown,
      cursor: { row: shown.length - 1, column: fieldRow(input.label, input.now, columns).column },
    };
  }

  /** The part of the body that fits, with a row that says what does not. */
  #visible(
    all: readonly Row[],
    { columns, room }: { readonly columns: number; readonly room: number },
    focus: number | undefined,
  ): readonly Row[] {
    if (all.length <= room) {
      this.#mostTop = 0;
      return all;
    }
    const most = Math.max(0, room - 1);
    this.#mostTop = all.length - most;
    if (focus !== undefined) this.#top = Math.max(Math.min(this.#top, focus), focus - most + 1);
    this.#top = Math.max(0, Math.min(this.#top, this.#mostTop));
    const below = all.length - this.#top - most;
    const parts = [
      ...(this.#top > 0 ? [`${this.#top} above`] : []),
      ...(below > 0 ? [`${below} below`] : []),
    ].join(', ');
    const [key] = this.#options.keys.view;
    const viewer = key === undefined ? '' : `, ${shortKey(key)} shows all`;
    // Where the arrow keys mark an answer, they do not scroll.
    const arrows = focus === undefined && this.#page.moves?.['down'] !== undefined ? '' : '↑↓ ';
    const more = cutRow(`  … rows: ${parts} · ${arrows}PgUp PgDn${viewer}`, columns);
    return [...all.slice(this.#top, this.#top + most), ...(room > 0 ? [this.#host.theme.dim(more)] : [])];
  }
}

const matchesKey = (event: KeyEvent, keys: readonly string[]): boolean =>
  keys.includes(shownKeys(nameOfKey(event)));

/** The end of a text that is longer than its row stays visible. */
function fieldRow(
  label: string,
  { text, cursor }: { readonly text: string; readonly cursor: number },
  columns: number,
) {
  const before = clean(text.slice(0, cursor));
  const room = Math.max(1, columns - cells(label) - 2);
  let skipped = 0;
  const points = [...before];
  while (cells(points.slice(skipped).join('')) > room - 1 && skipped < points.length) skipped++;
  const shownBefore = points.slice(skipped).join('');
  const row = `${label} ${cutRow(`${shownBefore}${clean(text.slice(cursor))}`, room)}`;
  return { row, column: cells(label) + 1 + cells(shownBefore) };
}
