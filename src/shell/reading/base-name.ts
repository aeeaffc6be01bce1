/** A program goes by the last part of its path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
