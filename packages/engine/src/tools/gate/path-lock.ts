/** One writer of a file at a time, across all sessions of this process (F143). */
const tails = new Map<string, Promise<void>>();

/** Runs `work` when all earlier work on `path` has settled. Use one name per file: its resolved path. */
export async function withPathLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(path) ?? Promise.resolve();
  const mine = before.then(work);
  const tail = mine.then(
    () => {},
    () => {},
  );
  tails.set(path, tail);
  try {
    return await mine;
  } finally {
    if (tails.get(path) === tail) tails.delete(path);
  }
}
