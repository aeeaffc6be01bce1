/** Calls of many sessions that wait at the same time are one statement: sessions that start together. */
import { systemClock } from '@turnwright/base/clock.ts';
import type { Statements } from './database.ts';

interface GroupOptions<Given> {
  /**
   * Calls in one statement.
   * @default 100
   */
  readonly most?: number;
  /** Calls with the same key are never in one statement: an `on conflict` may not meet a row twice. */
  readonly keyOf?: (given: Given) => string;
  /**
   * Statements at the same time: the next one is prepared while the first is committed. There are more where
   * the database is far away, so that no call waits for long to be under way.
   * @default 2, and up to 6
   */
  readonly statements?: number;
  /** Size of a call, and of all calls of one statement; the first call alone may exceed that. */
  readonly sizeOf?: (given: Given) => number;
  readonly mostSize?: number;
}

interface Waiting<Given, Result> {
  readonly given: Given;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A call that has waited for so long is under way with a statement of its own, in ms. */
const PATIENCE_MS = 5;
/** Statements of a group at the same time, where the database is far away. */
const MOST_STATEMENTS = 6;

/** `work` returns a result for each call, in the same order. A group that fails is repeated one by one. */
export function groupCalls<Given, Result>(
  work: (calls: readonly Given[]) => Promise<readonly Result[]>,
  { most = 100, keyOf, statements, sizeOf = () => 0, mostSize = 0 }: GroupOptions<Given> = {},
): (given: Given) => Promise<Result> {
  let waiting: Waiting<Given, Result>[] = [];
  let running = 0;
  let isImpatient = false;

  async function flush(): Promise<void> {
    running += 1;
    // What is asked for in the same turn goes along.
    await undefined;
    while (waiting.length > 0) await perform(nextGroup());
    running -= 1;
  }

  function nextGroup(): readonly Waiting<Given, Result>[] {
    let size = 0;
    const keys = new Set<string | undefined>();
    const isWithin = ({ given }: Waiting<Given, Result>, at: number) => {
      size += sizeOf(given);
      const key = keyOf?.(given);
      const isNew = key === undefined || !keys.has(key);
      keys.add(key);
      return at === 0 || (at < most && size <= mostSize && isNew);
    };
    const end = waiting.findIndex((one, at) => !isWithin(one, at));
    const group = end < 0 ? waiting : waiting.slice(0, end);
    waiting = end < 0 ? [] : waiting.slice(end);
    return group;
  }

  async function perform(group: readonly Waiting<Given, Result>[]): Promise<void> {
    try {
      const results = await work(group.map(({ given }) => given));
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
    } catch (error) {
      // One that fails must not keep the others from it.
      if (group.length === 1) group[0]?.reject(error);
      else for (const one of group) await perform([one]);
    }
  }

  function goOn(): void {
    if (running < (statements ?? 2)) void flush();
    else if (statements === undefined && running < MOST_STATEMENTS && !isImpatient) {
      isImpatient = true;
      systemClock.timer(PATIENCE_MS, () => {
        isImpatient = false;
        if (waiting.length > 0) void flush();
      });
    }
  }

  return (given) =>
    new Promise((resolve, reject) => {
      waiting.push({ given, resolve, reject });
      goOn();
    });
}

/** One for each database of this process: what it returns is shared by all sessions there. */
export function perDatabase<Shared>(
  make: (database: Statements) => Shared,
): (database: Statements) => Shared {
  const made = new WeakMap<Statements, Shared>();
  return (database) => {
    const shared = made.get(database) ?? make(database);
    made.set(database, shared);
    return shared;
  };
}
