/**
 * Work in order, one batch at a time: what is put while a batch is being done goes out together as the next one.
 */
export interface BatchQueue<Item, Result> {
  /** Settles as `perform` says for this item; when `perform` throws, every item of the batch rejects with it. */
  put(item: Item): Promise<Result>;
  /** Resolves once everything put so far is settled. */
  idle(): Promise<void>;
}

/** `perform` returns one outcome per item, in order. */
export function batchQueue<Item, Result>(
  perform: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>,
): BatchQueue<Item, Result> {
  type Waiting = { readonly item: Item; resolve(result: Result): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const outcomes = await perform(batch.map(({ item }) => item));
        for (const [index, each] of batch.entries()) {
          const outcome = outcomes[index];
          if (outcome?.ok === true) each.resolve(outcome.value);
          else each.reject(outcome?.error ?? new Error('no outcome'));
        }
      } catch (error) {
        for (const each of batch) each.reject(error);
      }
    }
    running = undefined;
  }

  return {
    put(item) {
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= drain();
      });
    },
    async idle() {
      await running;
    },
  };
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };
