/** Counts who uses a thing by its name, and ends it with the last of them. */
export class CountedUse {
  readonly #uses = new Map<string, { count: number; readonly end: () => Promise<void> }>();

  isUsed(name: string): boolean {
    return this.#uses.has(name);
  }

  /**
   * The returned function gives the use back; called again, it does nothing. `end`, of the first who uses it,
   * may fail: then the thing stays.
   */
  use(name: string, end: () => Promise<void> = async () => {}): () => Promise<void> {
    const uses = this.#uses.get(name) ?? { count: 0, end };
    uses.count++;
    this.#uses.set(name, uses);
    let given = false;
    return async () => {
      if (given) return;
      given = true;
      if (--uses.count > 0) return;
      this.#uses.delete(name);
      await uses.end().catch(() => {});
    };
  }
}
