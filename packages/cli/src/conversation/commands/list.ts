/** The list that pickers use: search by typing, choose with the arrows, take with Enter, leave with Esc. */
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import type { ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import type { Overlay, OverlayHost, OverlayOf } from '../overlay.ts';
import { listFrame } from './list-parts/list-frame.ts';
import {
  type ListOf,
  type ListState,
  listMatches,
  openedList,
  pressed,
  replaced,
} from './list-parts/list-state.ts';

export type { ListItem, ListOf } from './list-parts/list-state.ts';

/** An overlay that shows this list; its value is the chosen one. Line mode prints `list` with numbers. */
export type ListOverlay<T> = OverlayOf<T> & { readonly list: ListOf<T> };

export function listOverlay<T>(list: ListOf<T>): ListOverlay<T> {
  // It may never be shown; then nothing handles a failure.
  list.later?.items.catch(() => undefined);
  return Object.assign((host: OverlayHost) => new OpenList(list, host), { list });
}

/** Of a text that is worth a search in what rows do not show. */
const FIND_CHARS = 3;
const FIND_AFTER_MS = 150;

class OpenList<T> implements Overlay<T> {
  readonly closed: Promise<T | undefined>;
  readonly #host: OverlayHost;
  #state: ListState<T>;
  #page = 1;
  #searching = new AbortController();
  #close!: (value: T | undefined) => void;

  constructor(list: ListOf<T>, host: OverlayHost) {
    this.#host = host;
    this.#state = openedList(list);
    this.closed = new Promise((resolve) => {
      this.#close = (value) => {
        this.#searching.abort();
        resolve(value);
      };
    });
    this.#find();
    list.later?.items.then(
      (items) => this.#enter(replaced(this.#state, items)),
      (error: Error) => this.#enter({ ...this.#state, note: error.message }),
    );
  }

  frame(size: Size): ScreenFrame {
    const frame = listFrame(this.#state, size, this.#host.theme);
    this.#page = frame.page;
    return frame;
  }

  onEvent(event: InputEvent): boolean {
    if (event.kind === 'reply') return false;
    if (event.kind === 'key' && isLeave(event)) this.#close(undefined);
    else if (event.kind === 'key' && event.name === 'enter') {
      const item = listMatches(this.#state)[this.#state.chosen];
      if (item === undefined) return true;
      const { dialled, list } = this.#state;
      list.dial?.taken(list.dial.values[dialled] ?? '');
      this.#close(item.value);
    } else {
      const next = pressed(this.#state, event, this.#page);
      if (next !== undefined) this.#enter(next);
    }
    // Keys that mean nothing here are not the editor's either: it is covered.
    return true;
  }

  #enter(state: ListState<T>): void {
    const isOther = state.search.text !== this.#state.search.text;
    this.#state = state;
    this.#host.invalidate();
    if (isOther) this.#find();
  }

  /** Once nothing was typed for a moment. */
  #find(): void {
    const { list, search } = this.#state;
    this.#searching.abort();
    const text = search.text.trim();
    if (list.find === undefined || text.length < FIND_CHARS) return;
    this.#searching = new AbortController();
    const { signal } = this.#searching;
    this.#host.clock.timer(FIND_AFTER_MS, () => {
      if (!signal.aborted) void this.#showFound(text, signal);
    });
  }

  async #showFound(text: string, signal: AbortSignal): Promise<void> {
    const note = 'Searching what was said …';
    this.#enter({ ...this.#state, note: this.#state.note ?? note });
    const found = new Map<T, string>();
    try {
      for await (const { value, line } of this.#state.list.find?.(text, signal) ?? []) {
        if (signal.aborted) return;
        found.set(value, line);
        this.#enter({ ...this.#state, found: new Map(found) });
      }
    } finally {
      if (!signal.aborted && this.#state.note === note) this.#enter({ ...this.#state, note: undefined });
    }
  }
}

export function isLeave({ name, ctrl }: InputEvent & { kind: 'key' }): boolean {
  return name === 'escape' || (ctrl && name === 'c');
}
