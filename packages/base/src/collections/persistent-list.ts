/**
 * A persistent list that is cheap to append to: versions share one backing array and differ in length, the
 * way slices do. Only the longest version may grow in place; appending something else to a shorter one
 * copies.
 */
export class PersistentList<T> implements Iterable<T> {
  readonly #items: T[];
  readonly length: number;
  /** Identity shared by all versions made by appending. */
  readonly root: object;

  private constructor(items: T[], length: number) {
    this.#items = items;
    this.length = length;
    this.root = items;
  }

  static from<T>(items: Iterable<T>): PersistentList<T> {
    const copy = [...items];
    return new PersistentList(copy, copy.length);
  }

  at(index: number): T | undefined {
    const i = index < 0 ? this.length + index : index;
    return i < this.length ? this.#items[i] : undefined;
  }

  /**
   * Items that follow this version already (compared by `isSame`) are not appended again: the longer version
   * is returned.
   */
  append(items: readonly T[], isSame: (one: T, other: T) => boolean = Object.is): PersistentList<T> {
    if (items.length === 0) return this;
    const end = this.length + items.length;
    if (
      end <= this.#items.length &&
      items.every((item, at) => isSame(item, this.#items[this.length + at] as T))
    )
      return new PersistentList(this.#items, end);
    const base = this.#items.length === this.length ? this.#items : this.#items.slice(0, this.length);
    for (const item of items) base.push(item);
    return new PersistentList(base, base.length);
  }

  /** An earlier version. */
  first(length: number): PersistentList<T> {
    return new PersistentList(this.#items, Math.min(length, this.length));
  }

  slice(start = 0): T[] {
    // A negative start counts from this version's end, not from that of the array it shares.
    return this.#items.slice(start < 0 ? Math.max(0, this.length + start) : start, this.length);
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.length; i++) yield this.#items[i] as T;
  }
}
