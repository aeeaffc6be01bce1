/** Given by the bundle; the sources, when they are run as they are, have none. */
declare const keepCompiled: (() => void) | undefined;

/** A session has come to its end: what it had compiled is kept for processes to come, unless it is kept already. */
export function keepCompiledCode(): void {
  if (typeof keepCompiled === 'function') keepCompiled();
}
