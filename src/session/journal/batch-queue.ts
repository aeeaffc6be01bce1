/**
 * Processes items in order, one batch at a time: items that are put while a batch is processed form the next
 * one. If `perform` is synchronous, `put` is too and returns no promise.
 */
interface BatchQueue<Item, Result> {
  /**
   * Settles with the outcome of `perform` for this item; when `perform` throws, every item of the batch
   * rejects.
   */
  put(item: Item): Result | Promise<Result>;
  /** Settles once everything put so far is settled; undefined if it is. */
  idle(): Promise<void> | undefined;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

/** One outcome per item, in order. */
type Perform<Item, Result> = (
  items: readonly Item[],
) => readonly Outcome<Result>[] | Promise<readonly Outcome<Result>[]>;

export function batchQueue<Item, Result>(perform: Perform<Item, Result>): BatchQueue<Item, Result> {
  type Waiting = { readonly item: Item; resolve(result: Result): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function drain(first: Promise<unknown>): Promise<void> {
    await first.catch(() => undefined); // its putter hears of it
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
      if (running !== undefined) {
        return new Promise<Result>((resolve, reject) => {
          waiting.push({ item, resolve, reject });
        });
      }
      try {
        const doing = perform([item]);
        if (!('then' in doing)) return resultOf(doing[0]);
        running = drain(doing);
        return doing.then(([outcome]) => resultOf(outcome));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    idle: () => running,
  };
}

function resultOf<T>(outcome: Outcome<T> | undefined): T {
  if (outcome?.ok === true) return outcome.value;
  throw outcome?.error ?? new Error('no outcome');
}
