/** Waits for `work`, at most `ms`; undefined: there is nothing to wait for. */
export async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  if (work === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
