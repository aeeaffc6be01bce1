/** What comes from the keyboard and from the terminal itself. */

/**
 * One key. `name` is what the key is called whatever way the terminal encodes it: a lower-case letter (`a`),
 * a digit or sign (`?`), `space`, `enter`, `tab`, `escape`, `backspace`, `delete`, `insert`, `up`, `down`,
 * `left`, `right`, `home`, `end`, `pageup`, `pagedown`, `f1` to `f35`.
 */
export interface KeyEvent {
  readonly kind: 'key';
  readonly name: string;
  /** What the key types; absent with Ctrl or Alt, and for keys that type nothing. */
  readonly text?: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  /** Of a sign it is false: Shift is part of which sign it is. */
  readonly shift: boolean;
  /** By the clock of the input, monotonic. */
  readonly atMs: number;
}

/** Text that was pasted: lines end in `\n`, and no control character but this one and the tab is left. */
interface PasteEvent {
  readonly kind: 'paste';
  /** Empty: the clipboard holds something that is no text, an image perhaps. */
  readonly text: string;
  readonly atMs: number;
}

/**
 * An answer of the terminal to a question. `cursor`: row and column from 1; `keyboard`: the flags of the
 * kitty protocol; `pastes`: 2004, and whether it marks pastes (0: it does not know that); `device`: its
 * attributes, which every terminal answers; `background`: red, green and blue from 0 to 1.
 */
export interface ReplyEvent {
  readonly kind: 'reply';
  readonly of: 'cursor' | 'keyboard' | 'pastes' | 'device' | 'background';
  readonly values: readonly number[];
}

export type InputEvent = KeyEvent | PasteEvent | ReplyEvent;

/** What the input asks of a clock; the system clock of `util/clock.ts` is one. */
export interface InputClock {
  monotonicMs(): number;
  /** Returns what cancels it. */
  timer(ms: number, callback: () => void): () => void;
}
