/** How long something is wanted: a scope, for those who only hear of its end. */
export interface Life {
  readonly aborted: boolean;
  /** Made when it is first asked for: most lives end without anybody listening that way. */
  readonly signal: AbortSignal;
  /** Calls back when it is aborted; at once when it is already. Returns a function that forgets it. */
  onAbort(listener: () => void): () => void;
}
