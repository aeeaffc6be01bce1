/** Characters of diff that are shown; the rest the model can read in the file. */
const MAX_SNIPPET_CHARS = 4000;
/** Above this many changed lines no diff is computed. */
const MAX_EDIT_LENGTH = 2000;

/** The change between two texts, as a bounded unified diff. The diff library is loaded on first use. */
export async function describeChange(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string> {
  if (after === undefined) return 'What changed cannot be shown: the file is large, or not text.';
  if (before === undefined) return 'What changed cannot be shown: its earlier text is not at hand.';
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch(path, path, before, after, undefined, undefined, {
    context: 2,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (patch === undefined) return 'Most of it changed.';
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  return bounded(lines);
}

function bounded(lines: readonly string[]): string {
  const kept: string[] = [];
  let chars = 0;
  for (const line of lines) {
    const shown = line.length > 500 ? `${line.slice(0, 500)}…` : line;
    chars += shown.length + 1;
    if (chars > MAX_SNIPPET_CHARS)
      return [...kept, `… ${lines.length - kept.length} more lines of changes`].join('\n');
    kept.push(shown);
  }
  return kept.join('\n');
}
