/**
 * Pages of ids of sessions, in their order: each is asked for behind the last one of the page before, so that
 * none is met twice, whatever became of it.
 */
export async function* idPages(
  next: (behind: string) => Promise<readonly string[]>,
): AsyncGenerator<readonly string[], void> {
  for (let behind: string | undefined = ''; behind !== undefined; ) {
    const ids: readonly string[] = await next(behind);
    behind = ids.at(-1);
    if (behind !== undefined) yield ids;
  }
}
