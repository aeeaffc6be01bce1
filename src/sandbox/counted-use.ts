/** Counts who uses a thing by its name, and ends it with the last of them. */
export class CountedUse {
  readonly #counts = new Map<string, number>();

  isUsed(name: string): boolean {
    return this.#counts.has(name);
  }

  /** The returned function gives the use back; called again, it does nothing. `end` may fail: then the thing stays. */
  use(name: string, end: () => Promise<void>): () => Promise<void> {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    let given = false;
    return async () => {
      if (given) return;
      given = true;
      const left = (this.#counts.get(name) ?? 1) - 1;
      if (left > 0) {
        this.#counts.set(name, left);
        return;
      }
      this.#counts.delete(name);
      await end().catch(() => {});
    };
  }
}
