/** What a write changed, for consumers to show. The diff library is loaded on the first write. */

export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** Larger texts get no patch. */
const MAX_CHARS = 2_000_000;
const CONTEXT_LINES = 3;
/** ms the diff may take; texts that differ everywhere take quadratic time. */
const TIMEOUT_MS = 500;

/** Empty when nothing changed, or when the patch would be too costly. */
export async function structuredPatch(
  path: string,
  before: string,
  after: string,
): Promise<readonly PatchHunk[]> {
  if (before === after || before.length + after.length > MAX_CHARS) return [];
  const diff = await import('diff');
  const patch = diff.structuredPatch(path, path, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: TIMEOUT_MS,
  });
  return patch?.hunks ?? [];
}
