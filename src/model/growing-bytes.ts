/**
 * Text as UTF-8 that only grows. Each part has room for about as much as all before it, within bounds, so nothing is
 * copied twice and a long text is few parts; what was handed out stays as it is.
 */
const MIN_PART_BYTES = 16 * 1024;
const MAX_PART_BYTES = 1024 * 1024;

export class GrowingBytes {
  readonly #full: Buffer[] = [];
  #part = Buffer.alloc(0);
  #used = 0;
  #total = 0;

  get isEmpty(): boolean {
    return this.#total === 0;
  }

  append(text: string): void {
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#part.length - this.#used) {
      if (this.#used > 0) this.#full.push(this.#part.subarray(0, this.#used));
      const room = Math.min(Math.max(this.#total, MIN_PART_BYTES), MAX_PART_BYTES);
      this.#part = Buffer.allocUnsafeSlow(Math.max(room, bytes));
      this.#used = 0;
    }
    this.#used += this.#part.write(text, this.#used);
    this.#total += bytes;
  }

  parts(): readonly Buffer[] {
    return this.#used === 0 ? [...this.#full] : [...this.#full, this.#part.subarray(0, this.#used)];
  }
}
