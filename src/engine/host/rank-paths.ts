/**
 * The paths that a person may mean by `query`, best first: those whose name begins with it, then holds it,
 * then whose path holds it, then those that have its letters in this order. Case is not looked at; shorter
 * ones win.
 */
export function rankPaths(paths: Iterable<string>, query: string, most: number): readonly string[] {
  const wanted = query.toLowerCase().replaceAll('\\', '/').replace(/^\.\//, '');
  const found: { readonly path: string; readonly rank: number }[] = [];
  for (const path of paths) {
    const rank = rankOf(path.toLowerCase(), wanted);
    if (rank !== undefined) found.push({ path, rank });
  }
  return found
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, most)
    .map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number | undefined {
  // A folder ends in a slash.
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
  if (wanted === '') return name === path ? 0 : undefined;
  if (path === wanted || name === wanted) return 0;
  if (name.startsWith(wanted) || path.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (path.includes(wanted)) return 3;
  return holdsInOrder(name, wanted) ? 4 : holdsInOrder(path, wanted) ? 5 : undefined;
}

function holdsInOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
