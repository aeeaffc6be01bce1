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

class OpenList<T> implements Overlay<T> {
  readonly closed: Promise<T | undefined>;
  readonly #host: OverlayHost;
  #state: ListState<T>;
  #page = 1;
  #close!: (value: T | undefined) => void;

  constructor(list: ListOf<T>, host: OverlayHost) {
    this.#host = host;
    this.#state = openedList(list);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
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
    this.#state = state;
    this.#host.invalidate();
  }
}

export function isLeave({ name, ctrl }: InputEvent & { kind: 'key' }): boolean {
  return name === 'escape' || (ctrl && name === 'c');
}
