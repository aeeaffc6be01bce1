/**
 * Web frameworks name folders `[id]`, `[[...slug]]` and `{id}`. A glob that matches nothing, or is none, is
 * taken once more with its brackets as names. Braces around alternatives stay what they are.
 */
export async function searchByGlob<G extends string | undefined>(
  glob: G,
  signal: AbortSignal,
  /** True when something was found. */
  search: (glob: G | string) => Promise<boolean>,
): Promise<void> {
  const named = bracketsAsNames(glob);
  try {
    if ((await search(glob)) || named === undefined) return;
  } catch (error) {
    // `[user-id]` is no class: its range ends before it begins.
    if (named === undefined || signal.aborted) throw error;
  }
  await search(named);
}

/** undefined: it has none. */
function bracketsAsNames(glob: string | undefined): string | undefined {
  const named = glob?.replace(/[[\]]/g, (bracket) => `[${bracket}]`).replace(/\{([^{},]*)\}/g, '[{]$1[}]');
  return named === glob ? undefined : named;
}
