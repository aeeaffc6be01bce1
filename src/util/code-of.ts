/** The `code` of an error: `ENOENT`, `fenced`. undefined if it has none, or is not an error. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
