/** The message of an error, or what else was thrown as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` of an error: `ENOENT`, `fenced`. undefined if it has none, or is not an error. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
