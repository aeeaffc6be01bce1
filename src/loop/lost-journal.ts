/** Another owner took the session: the run has no right to say or decide anything any more (L4.1, L10.6). */
export function isLostJournal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'fenced';
}
