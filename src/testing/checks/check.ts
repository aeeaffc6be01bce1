/** One promise of a port, to be kept by every adapter. Runs in any test runner: `it(check.name, check.run)`. */
export interface Check {
  readonly name: string;
  /** Rejects when the adapter does not keep the promise. */
  run(): Promise<void>;
}

/** An adapter with nothing in it, made anew for each check. */
export interface Opened<T> {
  readonly store: T;
  dispose?(): Promise<void>;
}

export type Open<T> = () => Promise<Opened<T>>;

/** The check gets a fresh adapter, which is disposed of whatever comes of it. */
export function checkOf<T>(open: Open<T>): (name: string, run: (store: T) => Promise<void>) => Check {
  return (name, run) => ({
    name,
    async run() {
      const { store, dispose } = await open();
      try {
        await run(store);
      } finally {
        await dispose?.();
      }
    },
  });
}
