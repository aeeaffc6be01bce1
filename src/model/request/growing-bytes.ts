/**
 * UTF-8 text that only grows. Each part has capacity for about as much as all parts before it, within bounds,
 * so nothing is copied twice and a long text has few parts. Bytes that were handed out never change.
 */
const MIN_PART_BYTES = 16 * 1024;
const MAX_PART_BYTES = 1024 * 1024;
/** Maximum bytes of UTF-8 per UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;

export class GrowingBytes {
  readonly #full: Buffer[] = [];
  #part = Buffer.alloc(0);
  #used = 0;
  #total = 0;

  get isEmpty(): boolean {
    return this.#total === 0;
  }

  append(text: string): void {
    // Measured only where it may not fit.
    const room = this.#part.length - this.#used;
    const bytes = MOST_BYTES_PER_UNIT * text.length <= room ? 0 : Buffer.byteLength(text);
    if (bytes > room) {
      if (this.#used > 0) this.#full.push(this.#part.subarray(0, this.#used));
      const ample = Math.min(Math.max(this.#total, MIN_PART_BYTES), MAX_PART_BYTES);
      this.#part = Buffer.allocUnsafeSlow(Math.max(ample, bytes));
      this.#used = 0;
    }
    const written = this.#part.write(text, this.#used);
    this.#used += written;
    this.#total += written;
  }

  parts(): readonly Buffer[] {
    return this.#used === 0 ? [...this.#full] : [...this.#full, this.#part.subarray(0, this.#used)];
  }
}
