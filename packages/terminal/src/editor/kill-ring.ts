/** What was deleted by words and lines, the newest first; deletions one after another are one piece. */
import type { Piece } from './buffer.ts';

const MOST_PIECES = 30;

export class KillRing {
  readonly #pieces: Piece[] = [];
  /** Which piece the last yank inserted. */
  #at = 0;

  add(piece: Piece, direction: 'back' | 'forward', goesOn: boolean): void {
    const last = goesOn ? this.#pieces.shift() : undefined;
    const parts = (direction === 'back' ? [piece, last] : [last, piece]).filter((one) => one !== undefined);
    this.#pieces.unshift({
      text: parts.map(({ text }) => text).join(''),
      chips: parts.flatMap(({ chips }) => chips),
    });
    if (this.#pieces.length > MOST_PIECES) this.#pieces.pop();
  }

  newest(): Piece | undefined {
    this.#at = 0;
    return this.#pieces[0];
  }

  /** The one before the one that was inserted last; after the oldest the newest. */
  older(): Piece | undefined {
    this.#at = (this.#at + 1) % Math.max(1, this.#pieces.length);
    return this.#pieces[this.#at];
  }
}
