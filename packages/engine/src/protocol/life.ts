/** A lifetime: a scope, for code that only listens for its end. */
export interface Life {
  readonly aborted: boolean;
  /** Created on first access: most lifetimes end without a listener on the signal. */
  readonly signal: AbortSignal;
  /** Calls the listener on abort, or immediately if already aborted. Returns a function that removes it. */
  onAbort(listener: () => void): () => void;
}
