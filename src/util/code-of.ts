/** The code of an error of the system's or of ours: `ENOENT`, `fenced`. undefined: it has none, or is no error. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
