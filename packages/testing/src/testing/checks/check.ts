/**
 * One requirement of a port that every adapter must meet. Runs in any test runner: `it(check.name,
 * check.run)`.
 */
export interface Check {
  readonly name: string;
  /** Rejects when the adapter does not meet the requirement. */
  run(): Promise<void>;
}

/** An empty adapter, created anew for each check. */
export interface Opened<T> {
  readonly store: T;
  dispose?(): Promise<void>;
}

/** Creates a new, empty adapter for one check. */
export type Open<T> = () => Promise<Opened<T>>;

/** The check receives a new adapter, which is always disposed of. */
export function createCheck<T>(open: Open<T>): (name: string, run: (store: T) => Promise<void>) => Check {
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

/** What an adapter has to do, by the name of the check. */
export type Requirements<T> = Readonly<Record<string, (store: T) => Promise<void>>>;

/** A check of each requirement; its name begins with that of the port. */
export function makeChecks<T>(port: string, open: Open<T>, requirements: Requirements<T>): readonly Check[] {
  const check = createCheck(open);
  return Object.entries(requirements).map(([name, run]) => check(`${port}: ${name}`, run));
}
