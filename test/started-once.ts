/** What several tests look at, started by the first of them: a program that each of them would start in the same way. */
export function startedOnce<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}
