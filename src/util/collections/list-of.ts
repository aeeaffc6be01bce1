/** The list itself. Throws TypeError when a damaged record holds something else. */
export function requireList<T>(value: readonly T[]): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}
