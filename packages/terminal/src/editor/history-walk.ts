/** Going through the history: by ↑ and ↓, and by a search. What was being written is never lost. */
import { type Buffer, EMPTY, type Piece, shownText } from './buffer.ts';
import type { History } from './prompt-history.ts';

/**
 * The prompt that was being written is behind the newest entry; what is changed in an entry stays until the
 * end.
 */
export class HistoryWalk {
  readonly #entries: readonly Piece[];
  #at: number;
  readonly #changed = new Map<number, Buffer>();

  constructor({ entries }: History) {
    this.#entries = entries.slice();
    this.#at = entries.length;
  }

  /** The next one in a direction; undefined: there is none. */
  go(step: -1 | 1, now: Buffer): Buffer | undefined {
    const to = this.#at + step;
    if (to < 0 || to > this.#entries.length) return undefined;
    this.#changed.set(this.#at, now);
    this.#at = to;
    return this.#changed.get(to) ?? atEnd(this.#entries[to]);
  }
}

export class HistorySearch {
  /** What was being written when the search began. */
  readonly before: Buffer;
  readonly #entries: readonly Piece[];
  #query = '';
  #at: number;

  constructor({ entries }: History, before: Buffer) {
    this.before = before;
    this.#entries = entries;
    this.#at = entries.length;
  }

  get query(): string {
    return this.#query;
  }

  /** False when nothing matches. */
  get hasMatch(): boolean {
    return this.#at < this.#entries.length;
  }

  /** The prompt that was found, with the cursor where it matches; without one what was being written. */
  get found(): Buffer {
    const entry = this.#entries[this.#at];
    if (entry === undefined) return this.before;
    const at = entry.text.toLowerCase().indexOf(this.#query.toLowerCase());
    return { ...entry, cursor: at < 0 ? entry.text.length : at };
  }

  /** Searches from the newest again. */
  type(query: string): void {
    this.#query = query;
    this.#at = this.#entries.length;
    if (query !== '') this.go(-1);
  }

  /** The next older or newer match; stays where there is none. */
  go(step: -1 | 1): void {
    const wanted = this.#query.toLowerCase();
    for (let at = this.#at + step; at >= 0 && at < this.#entries.length; at += step) {
      if (!this.#matches(at, wanted)) continue;
      this.#at = at;
      return;
    }
  }

  #matches(at: number, wanted: string): boolean {
    const entry = this.#entries[at];
    const current = this.#entries[this.#at];
    return (
      entry !== undefined && entry.text !== current?.text && shownText(entry).toLowerCase().includes(wanted)
    );
  }
}

function atEnd(entry: Piece | undefined): Buffer {
  return entry === undefined ? EMPTY : { ...entry, cursor: entry.text.length };
}
